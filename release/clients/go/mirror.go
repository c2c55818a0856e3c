package bellhop

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
)

// itemsAtOnce is as many as the server's pages have.
const itemsAtOnce = 100

var lists = []struct {
	kind, path string
	query      url.Values
}{
	{"ticket", "/tickets", url.Values{"sort": {"created_asc"}}},
	{"message", "/messages", nil},
	{"customer", "/customers", nil},
}

// A Change is what is stored of one thing now, as JSON: of the Kind ticket a TicketSummary without its customer, message a
// MessageOfTicket, and customer a CustomerDetail. Value is nil when it is deleted; a deleted ticket takes its messages along.
type Change struct {
	Kind  string
	Id    string
	Value json.RawMessage
}

// A MirrorStore is where a mirror is kept. Each call is one transaction.
type MirrorStore interface {
	// Position is the last one that was stored, and empty before the first copy is complete.
	Position() (string, error)
	// Clear removes everything, and the position: a copy begins.
	Clear() error
	// Apply stores changes in this order, and the position after them. During a copy, there is none.
	Apply(changes []Change, position string) error
	// ClearMessages removes the messages of a ticket: all that it has now follow.
	ClearMessages(ticketId string) error
}

// Mirror copies all tickets, messages, and customers, and follows every change. With wait=0 in the query, it ends when nothing
// is left. It goes on where it was when it is started again, and begins anew when the server was restored from a backup, or
// the mirror was away for 90 days. The key needs tickets:read and customers:read.
func Mirror(ctx context.Context, c *Client, store MirrorStore, query url.Values) error {
	for {
		err := mirrorOnce(ctx, c, store, query)
		var problem *Error
		if !errors.As(err, &problem) || problem.Code != "events_expired" {
			return err
		}
		if err := store.Clear(); err != nil {
			return err
		}
	}
}

func mirrorOnce(ctx context.Context, c *Client, store MirrorStore, query url.Values) error {
	after, err := store.Position()
	if err == nil && after == "" {
		after, err = copyAll(ctx, c, store)
	}
	if err != nil {
		return err
	}
	asked := url.Values{"after": {after}, "include": {"ticket,message,customer"}}
	if query.Has("wait") {
		asked.Set("wait", query.Get("wait"))
	}
	ends := func(page eventPage) (string, string) { return page.Meta.After, page.Meta.Newest }
	for page, err := range eventPages(ctx, c, asked, ends) {
		if err == nil {
			err = follow(ctx, c, store, page)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyAll returns a position from before: what changes meanwhile comes again as an event.
func copyAll(ctx context.Context, c *Client, store MirrorStore) (string, error) {
	var me Me
	if err := c.Get(ctx, "/me", nil, &me); err != nil {
		return "", err
	}
	if err := store.Clear(); err != nil {
		return "", err
	}
	batch := []Change{}
	add := func(change Change) error {
		batch = append(batch, change)
		if len(batch) < itemsAtOnce {
			return nil
		}
		full := batch
		batch = []Change{}
		return store.Apply(full, "")
	}
	var err error
	for _, list := range lists {
		if err = each(ctx, c, list.path, list.query, list.kind, add); err != nil {
			return "", err
		}
	}
	return me.NewestEvent, store.Apply(batch, me.NewestEvent)
}

func each(ctx context.Context, c *Client, path string, query url.Values, kind string, do func(Change) error) error {
	for item, err := range Pages[json.RawMessage](ctx, c, path, query) {
		var change Change
		if err == nil {
			change, err = changeOf(kind, item)
		}
		if err == nil {
			err = do(change)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type eventPage struct {
	Data     []Event `json:"data"`
	Included struct {
		Tickets   []json.RawMessage `json:"tickets"`
		Messages  []json.RawMessage `json:"messages"`
		Customers []json.RawMessage `json:"customers"`
	} `json:"included"`
	Meta struct {
		After  string `json:"after"`
		Newest string `json:"newest"`
	} `json:"meta"`
}

func follow(ctx context.Context, c *Client, store MirrorStore, page eventPage) error {
	exists := map[string]Change{}
	included := page.Included
	for kind, items := range map[string][]json.RawMessage{
		"ticket": included.Tickets, "message": included.Messages, "customer": included.Customers,
	} {
		for _, item := range items {
			change, err := changeOf(kind, item)
			if err != nil {
				return err
			}
			exists[change.Id] = change
		}
	}
	changes := []Change{}
	changed := map[string]bool{}
	add := func(kind string, id *string) {
		if id == nil || changed[*id] {
			return
		}
		changed[*id] = true
		change, ok := exists[*id]
		if !ok {
			change = Change{kind, *id, nil}
		}
		changes = append(changes, change)
	}
	moved := map[string]bool{}
	for _, event := range page.Data {
		add("ticket", event.TicketId)
		if event.TicketId == nil {
			continue
		}
		_, isThere := exists[*event.TicketId]
		hasMoved := event.Changes != nil && event.Changes.Messages != nil
		if isThere && (hasMoved || event.Event == "ticket.imported") {
			moved[*event.TicketId] = true
		}
	}
	for _, event := range page.Data {
		add("message", event.MessageId)
		add("customer", event.CustomerId)
	}
	for id := range moved {
		found, err := messagesOf(ctx, c, id)
		if err == nil {
			err = store.ClearMessages(id)
		}
		if err != nil {
			return err
		}
		changes = append(changes, found...)
	}
	return store.Apply(changes, page.Meta.After)
}

// messagesOf returns none of a ticket that is deleted meanwhile: its event follows.
func messagesOf(ctx context.Context, c *Client, ticketId string) ([]Change, error) {
	found := []Change{}
	err := each(ctx, c, "/tickets/"+ticketId+"/messages", nil, "message", func(one Change) error {
		var err error
		one.Value, err = edited(one.Value, func(fields map[string]json.RawMessage) {
			fields["ticketId"], _ = json.Marshal(ticketId)
		})
		found = append(found, one)
		return err
	})
	var problem *Error
	if errors.As(err, &problem) && problem.Status == http.StatusNotFound {
		return nil, nil
	}
	return found, err
}

func changeOf(kind string, item json.RawMessage) (Change, error) {
	var of struct{ Id string }
	if err := json.Unmarshal(item, &of); err != nil {
		return Change{}, err
	}
	var err error
	if kind == "ticket" {
		item, err = edited(item, func(fields map[string]json.RawMessage) { delete(fields, "customer") })
	}
	return Change{kind, of.Id, item}, err
}

func edited(item json.RawMessage, edit func(map[string]json.RawMessage)) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(item, &fields); err != nil {
		return nil, err
	}
	edit(fields)
	return json.Marshal(fields)
}
