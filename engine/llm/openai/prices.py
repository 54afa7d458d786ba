"""What tokens cost: the writer's own prices, else the published ones, else unknown."""

from __future__ import annotations

from engine.domain.specs.endpoint import Endpoint

MILLION = 1_000_000


def price(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> float | None:
    """US dollars for tokens in and out; 0 on this machine, None when the price is not known."""
    if endpoint.price_in is not None and endpoint.price_out is not None:
        usd = tokens_in * endpoint.price_in + tokens_out * endpoint.price_out
        return usd / MILLION
    return 0.0 if endpoint.local else _published(endpoint, tokens_in, tokens_out)


def _published(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> float | None:
    import genai_prices  # 0.2 s, and only paid writers need it

    usage = genai_prices.Usage(input_tokens=tokens_in, output_tokens=tokens_out)
    try:
        found = genai_prices.calc_price(usage, endpoint.model, provider_api_url=endpoint.base_url)
    except (LookupError, ValueError):
        return None
    return float(found.total_price)
