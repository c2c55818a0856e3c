"""The core of the client: requests, retries, pages, events, and uploads."""

from __future__ import annotations

import email.utils
import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from .types import FieldError

TIMEOUT_S = 60
"""Longer than the server lets a request wait."""
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30
PER_PAGE = 100
EVENTS_PER_PAGE = 500
LONGEST_WAIT_S = 30
RETRIED = (429, 500, 502, 503, 504)
"""The request was not carried out, or an idempotency key makes it safe to send it again."""


class Problem(Exception):
    """An answer of 400 or more (RFC 9457)."""

    status: int
    code: str
    """What to decide by, such as `not_found`. `unknown` when something between you and Bellhop answered."""
    errors: list[FieldError]
    """One entry for each wrong field or parameter."""
    request_id: str | None
    """Search the log of the server for it."""
    id: str | None
    """Only with `external_id_taken`: the ticket or customer that has the external id."""
    headers: Mapping[str, str]

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        problem = _problem_in(body)
        detail = problem.get("detail", f"The server answered {status}.")
        self.status = status
        self.headers = headers
        self.code = problem.get("code", "unknown")
        self.errors = problem.get("errors", [])
        self.id = problem.get("id")
        self.request_id = problem.get("requestId", headers.get("x-request-id"))
        super().__init__(f"{self.code}: {detail}")


class Response:
    """An answer below 400."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    def json(self) -> Any:
        """The body, or None without one."""
        return json.loads(self.body) if self.body else None


class Bellhop:
    """A client of one organization.

    Requests are sent again after 429, 503, other faults of the server, and lost connections, with the pause that
    `Retry-After` says. A POST has an `Idempotency-Key`, so that it is carried out once. Raises `Problem` for an answer of
    400 or more, and `OSError` or `http.client.HTTPException` when the server can't be reached.
    """

    def __init__(self, url: str, key: str, max_tries: int = 6) -> None:
        """`url` is the address of the server, such as `https://help.example.com`; `key` is a secret API key."""
        self._base = url.rstrip("/").removesuffix("/v1").rstrip("/") + "/v1"
        self._key = key
        self._max_tries = max_tries

    def get(self, path: str, **query: Any) -> Any:
        """Such as `get("/tickets", status="open")`."""
        return self.send("GET", path, query=query).json()

    def post(self, path: str, body: Any = None, *, idempotency_key: str | None = None) -> Any:
        """With an `idempotency_key` of your own, you can repeat it safely even after a restart."""
        return self.send("POST", path, body, idempotency_key=idempotency_key).json()

    def put(self, path: str, body: Any = None) -> Any:
        return self.send("PUT", path, body).json()

    def patch(self, path: str, body: Any) -> Any:
        return self.send("PATCH", path, body).json()

    def delete(self, path: str) -> None:
        self.send("DELETE", path)

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        """Everything in a list, page by page."""
        cursor: str | None = ""
        while cursor is not None:
            page = self.get(path, **{"per_page": PER_PAGE, **query, "cursor": cursor})
            yield from page["data"]
            cursor = page["meta"].get("nextCursor")

    def events(self, after: str, **options: Any) -> Iterator[Any]:
        """Events as they happen, without an end. To go on later, keep the `position` of the last one.

        `after` is a position, or "0" for all that are kept. With `wait=0`, it ends after the newest event.
        """
        for page in self.event_pages(after, **options):
            yield from page["data"]

    def event_pages(self, after: str, *, wait: int = LONGEST_WAIT_S, **query: Any) -> Iterator[Any]:
        """The same in pages. Keep `meta.after` in place of a position: it also passes over what is left out."""
        while True:
            page = self.get("/events", **{"limit": EVENTS_PER_PAGE, **query, "after": after, "wait": wait})
            yield page
            after = page["meta"]["after"]
            if wait == 0 and after == page["meta"]["newest"]:
                return

    def upload(self, name: str, file: bytes) -> Any:
        """Uploads a file. Its id goes into `attachments` of a ticket or message."""
        return self.send("POST", "/attachments", file, query={"name": name}).json()

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Response:
        """The response itself, for its headers or a file."""
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        address = self._base + path + (f"?{urllib.parse.urlencode(given)}" if given else "")
        all_headers = {"Authorization": f"Bearer {self._key}"}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            all_headers["Content-Type"] = "application/octet-stream" if data is body else "application/json"
        if method == "POST":
            all_headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        request = urllib.request.Request(address, data, {**all_headers, **(headers or {})}, method=method)
        tries = 1
        while True:
            pause = min(FIRST_PAUSE_S * 2 ** (tries - 1), LONGEST_PAUSE_S) * random.uniform(0.5, 1)
            try:
                return _answer(request)
            except Problem as problem:
                is_retried = problem.status in RETRIED or problem.code == "idempotency_in_progress"
                if not is_retried or tries >= self._max_tries:
                    raise
                retry_after = _retry_after(problem.headers.get("retry-after"))
                pause = pause if retry_after is None else retry_after
            except (OSError, http.client.HTTPException):
                if tries >= self._max_tries:
                    raise
            time.sleep(pause)
            tries += 1


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key is for the address that it was given for."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


def _answer(request: urllib.request.Request) -> Response:
    try:
        with _OPENER.open(request, timeout=TIMEOUT_S) as answer:
            return Response(answer.status, answer.headers, answer.read())
    except urllib.error.HTTPError as error:
        raise Problem(error.code, error.headers, error.read()) from None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, list) else str(value)


def _problem_in(body: bytes) -> dict[str, Any]:
    try:
        problem = json.loads(body)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) and "code" in problem else {}


def _retry_after(value: str | None) -> float | None:
    """Seconds or a date (RFC 9110)."""
    if not value:
        return None
    if value.isdigit():
        return float(value)
    try:
        return max(email.utils.parsedate_to_datetime(value).timestamp() - time.time(), 0)
    except ValueError:
        return None
