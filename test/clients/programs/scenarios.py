"""What a user of the Python client writes, a function for each scenario. Prints one line of JSON."""

import base64
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from bellhop import Bellhop, Problem, WrongSignature, verify
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
    "limited": create,
    "away": create,
    "refused": refused,
    "upload": upload,
    "verify": accept,
    "forged": forged,
}
print(json.dumps(SCENARIOS[sys.argv[1]]()))
