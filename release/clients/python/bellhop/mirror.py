"""A copy of all tickets, messages, and customers that follows every change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, Protocol

from .client import Bellhop, Problem

ITEMS = 100
"""At once, as the server's pages."""
INCLUDE = "ticket,message,customer"


@dataclass(frozen=True)
class Change:
    """What is stored of one thing now. Without a value, it is deleted; a deleted ticket takes its messages along.

    A ticket is as lists have it; its customer is one of its own, by `customerId`.
    """

    kind: Literal["ticket", "message", "customer"]
    id: str
    value: Any


class MirrorStore(Protocol):
    """Where a mirror is kept. Each call is one transaction."""

    def position(self) -> str | None:
        """The last one that was stored. None before the first copy is complete."""

    def clear(self) -> None:
        """Removes everything, and the position: a copy begins."""

    def apply(self, changes: list[Change], position: str | None) -> None:
        """Stores changes in this order, and the position after them. During a copy, there is none."""

    def clear_messages(self, ticket_id: str) -> None:
        """Removes the messages of a ticket: all that it has now follow."""


def mirror(client: Bellhop, store: MirrorStore, wait: int = 30) -> None:
    """Copies everything, and follows every change; with `wait=0`, until nothing is left.

    Goes on where it was when it is started again. Begins anew when the server was restored from a backup, or the mirror was
    away for 90 days. The key needs tickets:read and customers:read. Raises what the client raises.
    """
    while True:
        try:
            after = store.position() or _copy(client, store)
            for page in client.event_pages(after, include=INCLUDE, wait=wait):
                _follow(client, store, page)
            return
        except Problem as problem:
            if problem.code != "events_expired":
                raise
            store.clear()


def _copy(client: Bellhop, store: MirrorStore) -> str:
    """What changes meanwhile comes again as an event: the position is from before."""
    newest: str = client.get("/me")["newestEvent"]
    store.clear()
    changes = _everything(client)
    while batch := list(islice(changes, ITEMS)):
        store.apply(batch, None)
    store.apply([], newest)
    return newest


def _everything(client: Bellhop) -> Iterator[Change]:
    for ticket in client.pages("/tickets", sort="created_asc"):
        yield _ticket_change(ticket["id"], ticket)
    for message in client.pages("/messages"):
        yield Change("message", message["id"], message)
    for customer in client.pages("/customers"):
        yield Change("customer", customer["id"], customer)


def _follow(client: Bellhop, store: MirrorStore, page: Any) -> None:
    included = page.get("included", {})
    tickets, messages, customers = (_by_id(included.get(kind, [])) for kind in ("tickets", "messages", "customers"))
    events = page["data"]
    changes = [_ticket_change(one, tickets.get(one)) for one in _ids(events, "ticketId")]
    changes += [Change("message", one, messages.get(one)) for one in _ids(events, "messageId")]
    changes += [Change("customer", one, customers.get(one)) for one in _ids(events, "customerId")]
    moved = [event for event in events if "messages" in event.get("changes", {}) or event["event"] == "ticket.imported"]
    for ticket_id in _ids(moved, "ticketId"):
        if ticket_id in tickets:
            found = _messages_of(client, ticket_id)
            store.clear_messages(ticket_id)
            changes += found
    store.apply(changes, page["meta"]["after"])


def _messages_of(client: Bellhop, ticket_id: str) -> list[Change]:
    """None of a ticket that is deleted meanwhile: its event follows."""
    try:
        found = list(client.pages(f"/tickets/{ticket_id}/messages"))
    except Problem as problem:
        if problem.status == 404:
            return []
        raise
    return [Change("message", one["id"], {**one, "ticketId": ticket_id}) for one in found]


def _ticket_change(ticket_id: str, ticket: Any) -> Change:
    if ticket is not None:
        ticket = {name: value for name, value in ticket.items() if name != "customer"}
    return Change("ticket", ticket_id, ticket)


def _ids(events: list[Any], name: str) -> list[str]:
    """Each once, in order."""
    return list(dict.fromkeys(event[name] for event in events if name in event))


def _by_id(items: list[Any]) -> dict[str, Any]:
    return {item["id"]: item for item in items}
