"""Ways to choose the next flip, written as programs would be.

All those with a loop over scores begin alike: what a score may read is computed first and has the
same name everywhere, so that a part of one score means the same in another. The age of a vertex
is the number of steps since its last flip, `max_steps` if there was none.
"""

# mypy: disable-error-code="no-untyped-def"
# (programs carry no annotations, and these are programs)

from __future__ import annotations


def greedy_flip(spins, adjacency, current_cut, best_cut, step, max_steps, flip_history):
    """Greedy: flip the vertex that raises the cut most, or lowers it least."""
    gains = spins * (adjacency @ spins)
    return gains.argmax()


def tabu_flip(spins, adjacency, current_cut, best_cut, step, max_steps, flip_history):
    """Tabu: the best flip, no vertex again within 20 steps unless it leads to a new best cut."""
    gains = spins * (adjacency @ spins)
    tabu = [vertex for vertex in flip_history[-20:] if current_cut + gains[vertex] <= best_cut]
    gains[tabu] = -float("inf")
    return gains.argmax()


def oldest_of_the_best(spins, adjacency, current_cut, best_cut, step, max_steps, flip_history):
    """The largest gain; among equal ones, the vertex not flipped for longest."""
    gains = (spins * (adjacency @ spins)).tolist()
    ages, counts = [max_steps] * len(gains), [0] * len(gains)
    for moment, flipped in enumerate(flip_history):
        ages[flipped] = step - moment
        counts[flipped] += 1
    best_vertex, best_score = 0, -float("inf")
    for vertex in range(len(spins)):
        gain = gains[vertex]
        age = ages[vertex]
        score = gain + 0.001 * age
        if score > best_score:
            best_vertex, best_score = vertex, score
    return best_vertex


def soft_tabu(spins, adjacency, current_cut, best_cut, step, max_steps, flip_history):
    """Gain, less a penalty on recent flips that fades out within 20 steps."""
    gains = (spins * (adjacency @ spins)).tolist()
    ages, counts = [max_steps] * len(gains), [0] * len(gains)
    for moment, flipped in enumerate(flip_history):
        ages[flipped] = step - moment
        counts[flipped] += 1
    best_vertex, best_score = 0, -float("inf")
    for vertex in range(len(spins)):
        gain = gains[vertex]
        age = ages[vertex]
        score = gain - 0.5 * max(0, 20 - age)
        if score > best_score:
            best_vertex, best_score = vertex, score
    return best_vertex


def fading_memory(spins, adjacency, current_cut, best_cut, step, max_steps, flip_history):
    """Gain, less a penalty on earlier flips in inverse proportion to their age."""
    gains = (spins * (adjacency @ spins)).tolist()
    ages, counts = [max_steps] * len(gains), [0] * len(gains)
    for moment, flipped in enumerate(flip_history):
        ages[flipped] = step - moment
        counts[flipped] += 1
    best_vertex, best_score = 0, -float("inf")
    for vertex in range(len(spins)):
        gain = gains[vertex]
        age = ages[vertex]
        score = gain - 20 / age
        if score > best_score:
            best_vertex, best_score = vertex, score
    return best_vertex


def seldom_flipped(spins, adjacency, current_cut, best_cut, step, max_steps, flip_history):
    """Gain, less a penalty on vertices for every time they were flipped."""
    gains = (spins * (adjacency @ spins)).tolist()
    ages, counts = [max_steps] * len(gains), [0] * len(gains)
    for moment, flipped in enumerate(flip_history):
        ages[flipped] = step - moment
        counts[flipped] += 1
    best_vertex, best_score = 0, -float("inf")
    for vertex in range(len(spins)):
        gain = gains[vertex]
        count = counts[vertex]
        score = gain - 0.5 * count
        if score > best_score:
            best_vertex, best_score = vertex, score
    return best_vertex


def settle_down(spins, adjacency, current_cut, best_cut, step, max_steps, flip_history):
    """Gain, less a penalty on recent flips that shrinks to nothing towards the end."""
    gains = (spins * (adjacency @ spins)).tolist()
    ages, counts = [max_steps] * len(gains), [0] * len(gains)
    for moment, flipped in enumerate(flip_history):
        ages[flipped] = step - moment
        counts[flipped] += 1
    best_vertex, best_score = 0, -float("inf")
    for vertex in range(len(spins)):
        gain = gains[vertex]
        age = ages[vertex]
        progress = step / max_steps
        score = gain - 0.2 * max(0, 30 - age) * (1 - progress)
        if score > best_score:
            best_vertex, best_score = vertex, score
    return best_vertex


def leave_the_valley(spins, adjacency, current_cut, best_cut, step, max_steps, flip_history):
    """Gain, less a penalty on recent flips that grows with the distance to the best cut."""
    gains = (spins * (adjacency @ spins)).tolist()
    ages, counts = [max_steps] * len(gains), [0] * len(gains)
    for moment, flipped in enumerate(flip_history):
        ages[flipped] = step - moment
        counts[flipped] += 1
    best_vertex, best_score = 0, -float("inf")
    for vertex in range(len(spins)):
        gain = gains[vertex]
        age = ages[vertex]
        shortfall = best_cut - current_cut
        score = gain - 0.1 * (1 + shortfall) * max(0, 20 - age)
        if score > best_score:
            best_vertex, best_score = vertex, score
    return best_vertex
