"""Tables and the filter above them."""
