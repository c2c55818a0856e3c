"""What a user of the Python client writes, a function for each scenario. Prints one line of JSON."""

import base64
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from bellhop import Bellhop, Change, Problem, WrongSignature, mirror, verify
from bellhop.types import NewTicket, Ticket, TicketSummary

given = json.loads(sys.argv[2])
bellhop = Bellhop(os.environ["URL"], os.environ["KEY"], max_tries=given.get("tries", 6))


def create() -> Any:
    ticket: TicketSummary = bellhop.post("/tickets", given)
    return ticket


def read() -> Any:
    ticket: Ticket = bellhop.get(f"/tickets/{given['id']}")
    return [ticket["customer"]["name"], *(message["text"] for message in ticket["messages"])]


def change() -> Any:
    ticket = bellhop.patch(f"/tickets/{given['id']}", {"status": "pending", "tags": ["billing"]})
    return [ticket["status"], *ticket["tags"]]


def answer() -> Any:
    path, body = f"/tickets/{given['id']}/messages", {"text": "It is attached."}
    return [bellhop.post(path, body, idempotency_key=given["key"])["id"] for _ in range(2)]


def pages() -> Any:
    return [ticket["id"] for ticket in bellhop.pages("/tickets", **given)]


def problem() -> Any:
    missing = problem_of(lambda: bellhop.get(f"/tickets/{given['id']}"))
    body: NewTicket = {"subject": "", "message": "x", "customer": {"email": "nobody"}}
    invalid = problem_of(lambda: bellhop.post("/tickets", body))
    pointers = [error.get("pointer") for error in invalid.errors]
    return {"missing": [missing.status, missing.code], "invalid": [invalid.status, invalid.code, pointers]}


def refused() -> Any:
    problem = problem_of(lambda: bellhop.get("/tickets"))
    return {"status": problem.status, "code": problem.code}


def upload() -> Any:
    file = bellhop.upload(given["name"], base64.b64decode(given["bytes"]))
    ticket = bellhop.post("/tickets", {**given["ticket"], "attachments": [file["id"]]})
    downloaded = bellhop.send("GET", f"/attachments/{file['id']}").body
    return {"id": ticket["id"], "downloaded": base64.b64encode(downloaded).decode()}


def events() -> Any:
    return [{"event": one["event"], "position": one["position"]} for one in bellhop.events(**given, wait=0)]


class FileStore:
    """One JSON file is enough for a test; a real mirror has a database."""

    def __init__(self) -> None:
        self.kept: Any = {"ticket": {}, "message": {}, "customer": {}, "position": None, "copies": 0}
        if os.path.exists(given["file"]):
            with open(given["file"], encoding="utf-8") as file:
                self.kept = json.load(file)

    def position(self) -> str | None:
        return self.kept["position"]

    def clear(self) -> None:
        copies = self.kept["copies"] + (self.kept["position"] is None)
        self.kept = {"ticket": {}, "message": {}, "customer": {}, "position": None, "copies": copies}

    def apply(self, changes: list[Change], position: str | None) -> None:
        for change in changes:
            if change.value is not None:
                self.kept[change.kind][change.id] = change.value
                continue
            self.kept[change.kind].pop(change.id, None)
            if change.kind == "ticket":
                self.clear_messages(change.id)
        self.kept["position"] = position

    def clear_messages(self, ticket_id: str) -> None:
        messages = self.kept["message"]
        self.kept["message"] = {key: one for key, one in messages.items() if one["ticketId"] != ticket_id}


def mirrored() -> Any:
    store = FileStore()
    mirror(Bellhop(os.environ["URL"], given["key"]), store, wait=0)
    with open(given["file"], "w", encoding="utf-8") as file:
        json.dump(store.kept, file)
    return {name: value for name, value in store.kept.items() if name != "position"}


def accept() -> Any:
    webhook = verify(given["body"], given["headers"], given["secret"])
    return {"event": webhook["event"], "subject": webhook["data"]["ticket"]["subject"]}


def forged() -> Any:
    return [is_refused(case) for case in given["cases"]]


def problem_of(ask: Callable[[], Any]) -> Problem:
    try:
        ask()
    except Problem as problem:
        return problem
    raise AssertionError("It was answered.")


def is_refused(case: Any) -> bool:
    try:
        verify(case["body"].encode(), case["headers"], case["secret"])
    except WrongSignature:
        return True
    return False


SCENARIOS = {
    "create": create,
    "read": read,
    "change": change,
    "answer": answer,
    "pages": pages,
    "problem": problem,
    "lost": create,
    "cut": create,
    "cutProblem": problem,
    "limited": create,
    "away": create,
    "refused": refused,
    "upload": upload,
    "events": events,
    "mirror": mirrored,
    "verify": accept,
    "forged": forged,
}
print(json.dumps(SCENARIOS[sys.argv[1]]()))
