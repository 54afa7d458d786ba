"""The knapsack of several dimensions: items are packed one by one, each needs every resource."""
