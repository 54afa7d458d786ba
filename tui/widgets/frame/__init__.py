"""What stands around the panes: header, hints, tabs, progress, titles."""
