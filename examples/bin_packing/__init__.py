"""Online bin packing: items arrive one by one, and few bins are wanted."""
