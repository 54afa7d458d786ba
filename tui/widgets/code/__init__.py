"""Program text and differences of programs."""
