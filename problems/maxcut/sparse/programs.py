"""Ways to choose the next flip from gains and the steps of earlier flips.

The first six work on whole arrays, the others score vertex by vertex in a loop. The age of a
vertex is the number of steps since its last flip, `max_steps` if there was none.
"""

# mypy: disable-error-code="no-untyped-def"
# (programs carry no annotations, and these are programs)

from __future__ import annotations


def greedy_flip(spins, gains, max_steps):
    """Greedy: flip the vertex that raises the cut most, or lowers it least."""
    return gains.argmax()


def tabu_flip(gains, last_flips, current_cut, best_cut, step):
    """Tabu: the best flip, no vertex again within 20 steps unless it leads to a new best cut."""
    tabu = (last_flips >= 0) & (last_flips >= step - 20) & (current_cut + gains <= best_cut)
    scores = gains.copy()
    scores[tabu] = -float("inf")
    return scores.argmax()


def longer_tabu(gains, last_flips, current_cut, best_cut, step):
    """Tabu: no vertex again within as many steps as a fiftieth of the vertices, 10 at least."""
    tenure = max(10, len(gains) // 50)
    tabu = (last_flips >= 0) & (last_flips >= step - tenure) & (current_cut + gains <= best_cut)
    scores = gains.copy()
    scores[tabu] = -float("inf")
    return scores.argmax()


def oldest_of_the_best(gains, last_flips, step, max_steps):
    """The largest gain; among equal ones, the vertex not flipped for longest."""
    ages = step - last_flips
    ages[last_flips < 0] = max_steps
    scores = gains + 0.5 * ages / max_steps
    return scores.argmax()


def settle_down(gains, last_flips, step, max_steps):
    """Gain, less a penalty on recent flips that shrinks to nothing towards the end."""
    ages = step - last_flips
    ages[last_flips < 0] = max_steps
    progress = step / max_steps
    scores = gains - 0.2 * (30 - ages).clip(0) * (1 - progress)
    return scores.argmax()


def seldom_flipped(gains, flip_counts):
    """Gain, less a penalty on vertices for every time they were flipped."""
    scores = gains - 0.5 * flip_counts
    return scores.argmax()


def soft_tabu(gains, last_flips, step, max_steps):
    """Gain, less a penalty on recent flips that fades out within 20 steps."""
    gains, last_flips = gains.tolist(), last_flips.tolist()
    best_vertex, best_score = 0, -float("inf")
    for vertex in range(len(gains)):
        gain = gains[vertex]
        last = last_flips[vertex]
        age = max_steps if last < 0 else step - last
        score = gain - 0.5 * max(0, 20 - age)
        if score > best_score:
            best_vertex, best_score = vertex, score
    return best_vertex


def leave_the_valley(gains, last_flips, current_cut, best_cut, step, max_steps):
    """Gain, less a penalty on recent flips that grows with the distance to the best cut."""
    gains, last_flips = gains.tolist(), last_flips.tolist()
    best_vertex, best_score = 0, -float("inf")
    for vertex in range(len(gains)):
        gain = gains[vertex]
        last = last_flips[vertex]
        age = max_steps if last < 0 else step - last
        shortfall = best_cut - current_cut
        score = gain - 0.1 * (1 + shortfall) * max(0, 20 - age)
        if score > best_score:
            best_vertex, best_score = vertex, score
    return best_vertex
