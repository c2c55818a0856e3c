// What a user of the Go client writes, a function for each scenario. Prints one line of JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"

	bellhop "bellhop.example/client"
)

type webhook struct {
	Body    string
	Headers map[string]string
	Secret  string
}

var given struct {
	Id, Key, Tag, Name, After, File string
	Tries                           int
	Bytes                           []byte
	Ticket                          bellhop.NewTicket
	Cases                           []webhook
	webhook
}

var (
	ctx       = context.Background()
	client    = bellhop.New(os.Getenv("URL"), os.Getenv("KEY"))
	scenarios = map[string]func() any{
		"create": create, "read": read, "change": change, "answer": answer, "pages": pages, "problem": problem,
		"lost": create, "cut": create, "cutProblem": problem, "limited": create, "away": create, "refused": refused, "upload": upload,
		"events": events, "mirror": mirrored, "verify": accept, "forged": forged,
	}
)

func main() {
	must(json.Unmarshal([]byte(os.Args[2]), &given))
	if given.Tries > 0 {
		client.MaxTries = given.Tries
	}
	must(json.NewEncoder(os.Stdout).Encode(scenarios[os.Args[1]]()))
}

func create() any {
	var input bellhop.NewTicket
	must(json.Unmarshal([]byte(os.Args[2]), &input))
	return created(input)
}

func created(input bellhop.NewTicket) bellhop.TicketSummary {
	var ticket bellhop.TicketSummary
	must(client.Post(ctx, "/tickets", input, &ticket))
	return ticket
}

func read() any {
	var ticket bellhop.Ticket
	must(client.Get(ctx, "/tickets/"+given.Id, nil, &ticket))
	said := []string{ticket.Customer.Name}
	for _, message := range ticket.Messages {
		said = append(said, message.Text)
	}
	return said
}

func change() any {
	status, tags := bellhop.TicketStatus("pending"), []string{"billing"}
	var ticket bellhop.TicketSummary
	must(client.Patch(ctx, "/tickets/"+given.Id, bellhop.TicketChange{Status: &status, Tags: &tags}, &ticket))
	return append([]string{string(ticket.Status)}, ticket.Tags...)
}

func answer() any {
	header := http.Header{"Idempotency-Key": {given.Key}, "Content-Type": {"application/json"}}
	var ids [2]string
	for at := range ids {
		body := []byte(`{"text":"It is attached."}`)
		response, err := client.Send(ctx, http.MethodPost, "/tickets/"+given.Id+"/messages", nil, header, body)
		must(err)
		var message bellhop.OutgoingMessage
		must(json.Unmarshal(response.Body, &message))
		ids[at] = message.Id
	}
	return ids
}

func pages() any {
	ids := []string{}
	for ticket, err := range bellhop.Pages[bellhop.TicketSummary](ctx, client, "/tickets", url.Values{"tag": {given.Tag}}) {
		must(err)
		ids = append(ids, ticket.Id)
	}
	return ids
}

func problem() any {
	missing := problemOf(client.Get(ctx, "/tickets/"+given.Id, nil, nil))
	input := bellhop.NewTicket{Message: "x", Customer: bellhop.NewCustomer{Email: "nobody"}}
	invalid := problemOf(client.Post(ctx, "/tickets", input, nil))
	pointers := []*string{}
	for _, fault := range *invalid.Errors {
		pointers = append(pointers, fault.Pointer)
	}
	return map[string][]any{
		"missing": {missing.Status, missing.Code},
		"invalid": {invalid.Status, invalid.Code, pointers},
	}
}

func refused() any {
	fault := problemOf(client.Get(ctx, "/tickets", nil, nil))
	return map[string]any{"status": fault.Status, "code": fault.Code}
}

func upload() any {
	file, err := client.Upload(ctx, given.Name, given.Bytes)
	must(err)
	given.Ticket.Attachments = &[]string{file.Id}
	downloaded, err := client.Send(ctx, http.MethodGet, "/attachments/"+file.Id, nil, nil, nil)
	must(err)
	return map[string]any{"id": created(given.Ticket).Id, "downloaded": downloaded.Body}
}

func events() any {
	found := []map[string]any{}
	for page, err := range client.EventPages(ctx, url.Values{"after": {given.After}, "wait": {"0"}}) {
		must(err)
		for _, event := range page.Data {
			found = append(found, map[string]any{"event": event.Event, "position": event.Position})
		}
	}
	return found
}

// kept is one JSON file, which is enough for a test; a real mirror has a database.
type kept struct {
	After  string                                `json:"after"`
	Copies int                                   `json:"copies"`
	Things map[string]map[string]json.RawMessage `json:"things"`
}

func (k *kept) Position() (string, error) { return k.After, nil }

func (k *kept) Clear() error {
	if k.After == "" {
		k.Copies++
	}
	k.After = ""
	k.Things = map[string]map[string]json.RawMessage{"ticket": {}, "message": {}, "customer": {}}
	return nil
}

func (k *kept) Apply(changes []bellhop.Change, position string) error {
	for _, change := range changes {
		if change.Value != nil {
			k.Things[change.Kind][change.Id] = change.Value
			continue
		}
		delete(k.Things[change.Kind], change.Id)
		if change.Kind == "ticket" {
			must(k.ClearMessages(change.Id))
		}
	}
	k.After = position
	return nil
}

func (k *kept) ClearMessages(ticketId string) error {
	for id, value := range k.Things["message"] {
		var message bellhop.MessageOfTicket
		must(json.Unmarshal(value, &message))
		if message.TicketId == ticketId {
			delete(k.Things["message"], id)
		}
	}
	return nil
}

func mirrored() any {
	var store kept
	if text, err := os.ReadFile(given.File); err == nil {
		must(json.Unmarshal(text, &store))
	}
	fast := bellhop.New(os.Getenv("URL"), given.Key)
	must(bellhop.Mirror(ctx, fast, &store, url.Values{"wait": {"0"}}))
	text, err := json.Marshal(store)
	must(err)
	must(os.WriteFile(given.File, text, 0o600))
	return map[string]any{
		"ticket": store.Things["ticket"], "message": store.Things["message"], "customer": store.Things["customer"],
		"copies": store.Copies,
	}
}

func accept() any {
	event, err := bellhop.Verify([]byte(given.Body), headerOf(given.webhook), given.Secret)
	must(err)
	var data struct{ Ticket bellhop.EventTicket }
	must(json.Unmarshal(event.Data, &data))
	return map[string]string{"event": event.Event, "subject": data.Ticket.Subject}
}

func forged() any {
	refused := []bool{}
	for _, one := range given.Cases {
		_, err := bellhop.Verify([]byte(one.Body), headerOf(one), one.Secret)
		refused = append(refused, errors.Is(err, bellhop.ErrWrongSignature))
	}
	return refused
}

func headerOf(one webhook) http.Header {
	header := http.Header{}
	for name, value := range one.Headers {
		header.Set(name, value)
	}
	return header
}

func problemOf(err error) *bellhop.Error {
	var problem *bellhop.Error
	if !errors.As(err, &problem) {
		panic(err)
	}
	return problem
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
