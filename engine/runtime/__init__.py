"""One engine process: a booked run or study from its claim to its end."""
