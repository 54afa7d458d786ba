# mypy: ignore-errors
import random


def solve(seed):
    """Draw centres with much room around them; circles are as large as their neighbours let."""
    rng = random.Random(seed)
    centres = []
    while len(centres) < 26:
        best = None
        most = -100.0
        for _ in range(60):
            x = rng.uniform(0.05, 0.95)
            y = rng.uniform(0.05, 0.95)
            border = min(x, y, 1 - x, 1 - y)
            gap = min([((x - u) ** 2 + (y - v) ** 2) ** 0.5 for u, v in centres], default=1.0)
            value = min(2 * border, gap)
            if value > most:
                most = value
                best = (x, y)
        centres.append(best)
    circles = []
    for x, y in centres:
        gaps = sorted(((x - u) ** 2 + (y - v) ** 2) ** 0.5 for u, v in centres)
        circles.append((x, y, min(x, y, 1 - x, 1 - y, gaps[1] / 2)))
    return circles
