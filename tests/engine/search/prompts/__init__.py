"""What each module of prompts writes, as a reader sees it."""
