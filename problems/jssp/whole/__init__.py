"""The kind `whole` of the job shop: programs return an order of dispatch at once."""
