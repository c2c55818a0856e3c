"""The signatures of webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

TOLERANCE_S = 300
"""How old a signed body can be, and how far the clocks can differ."""


class WrongSignature(Exception):
    """A webhook isn't from Bellhop, was changed, or is too old. Answer with 401."""


def verify(body: bytes | str, headers: Mapping[str, str], secret: str) -> Any:
    """Checks the signature of a webhook and returns its body.

    `body` is as received: parsed and written again, it has other bytes. `secret` is the endpoint's, with `whsec_`. Raises
    `WrongSignature`. Ignore a second delivery with the same `X-Service-Delivery`.
    """
    data = body.encode() if isinstance(body, str) else body
    given = {name.lower(): value for name, value in headers.items()}
    standard = given.get("webhook-signature")
    if standard:
        is_right = _is_standard(data, given, standard, secret)
    else:
        signed = "sha256=" + hmac.new(secret.encode(), data, hashlib.sha256).hexdigest()
        is_right = hmac.compare_digest(signed.encode(), given.get("x-service-signature", "").encode())
    if not is_right:
        raise WrongSignature("The signature of the webhook is wrong.")
    return json.loads(data)


def _is_standard(body: bytes, headers: Mapping[str, str], signatures: str, secret: str) -> bool:
    """Standard Webhooks: with a time, and with each secret while it is rotated."""
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_S:
        raise WrongSignature("The webhook is too old, or a clock is wrong.")
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        return False
    start = f"{headers.get('webhook-id', '')}.{timestamp}.".encode()
    signed = base64.b64encode(hmac.new(key, start + body, hashlib.sha256).digest())
    return any(hmac.compare_digest(b"v1," + signed, one.encode()) for one in signatures.split(" "))
