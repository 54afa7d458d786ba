"""The command line and the screens; both call `engine.api` and read `engine.monitor`."""
