package bellhop

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	mathrand "math/rand"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// timeout is longer than the server lets a request wait.
	timeout      = time.Minute
	maxTries     = 6
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
	perPage      = "100"
	eventsAtOnce = "500"
	longestWait  = "30"
)

// retried are the statuses of requests that were not carried out, or that an idempotency key makes safe to send again.
var retried = []int{429, 500, 502, 503, 504}

// Client calls the API for one organization. Requests are sent again after 429, 503, other faults of the server, and lost
// connections, with the pause that Retry-After says. A POST has an Idempotency-Key, so that it is carried out once.
type Client struct {
	base     string
	key      string
	HTTP     *http.Client
	MaxTries int
}

// New makes a client. The address is that of the server, such as https://help.example.com, and the key a secret API key.
func New(address, key string) *Client {
	base := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(address, "/"), "/v1"), "/") + "/v1"
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{base: base, key: key, HTTP: &http.Client{Timeout: timeout, CheckRedirect: stay}, MaxTries: maxTries}
}

// An Error is an answer of 400 or more (RFC 9457).
type Error struct {
	Problem
	Header http.Header
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s", e.Code, e.Detail)
}

// Get reads a path such as /tickets into the value at out.
func (c *Client) Get(ctx context.Context, path string, query url.Values, out any) error {
	return c.json(ctx, http.MethodGet, path, query, nil, out)
}

// Post sends the body as JSON. The value at out can be nil.
func (c *Client) Post(ctx context.Context, path string, body, out any) error {
	return c.json(ctx, http.MethodPost, path, nil, body, out)
}

func (c *Client) Put(ctx context.Context, path string, body, out any) error {
	return c.json(ctx, http.MethodPut, path, nil, body, out)
}

func (c *Client) Patch(ctx context.Context, path string, body, out any) error {
	return c.json(ctx, http.MethodPatch, path, nil, body, out)
}

func (c *Client) Delete(ctx context.Context, path string) error {
	return c.json(ctx, http.MethodDelete, path, nil, nil, nil)
}

// Pages returns everything in a list, page by page. It ends at the first error.
func Pages[Item any](ctx context.Context, c *Client, path string, query url.Values) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		asked := url.Values{"per_page": {perPage}}
		maps.Copy(asked, query)
		for cursor := ""; ; {
			asked.Set("cursor", cursor)
			var page struct {
				Data []Item `json:"data"`
				Meta struct {
					NextCursor *string `json:"nextCursor"`
				} `json:"meta"`
			}
			if err := c.Get(ctx, path, asked, &page); err != nil {
				var none Item
				yield(none, err)
				return
			}
			for _, item := range page.Data {
				if !yield(item, nil) {
					return
				}
			}
			if page.Meta.NextCursor == nil {
				return
			}
			cursor = *page.Meta.NextCursor
		}
	}
}

// EventPages returns events as they happen, without an end, in pages. The query takes a position as "after", or "0" for all
// events that are kept, and types, ticket, and include. With wait=0, it ends after the newest event. To go on later, keep
// Meta.After of the last page: nothing at or before it appears later. It ends at the first error.
func (c *Client) EventPages(ctx context.Context, query url.Values) iter.Seq2[EventList, error] {
	return eventPages(ctx, c, query, func(page EventList) (string, string) { return page.Meta.After, page.Meta.Newest })
}

func eventPages[Page any](ctx context.Context, c *Client, query url.Values, ends func(Page) (after, newest string)) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		asked := url.Values{"limit": {eventsAtOnce}, "wait": {longestWait}}
		maps.Copy(asked, query)
		for {
			var page Page
			err := c.Get(ctx, "/events", asked, &page)
			if !yield(page, err) || err != nil {
				return
			}
			after, newest := ends(page)
			asked.Set("after", after)
			if asked.Get("wait") == "0" && after == newest {
				return
			}
		}
	}
}

// Upload uploads a file. Its id goes into the attachments of a ticket or message.
func (c *Client) Upload(ctx context.Context, name string, file []byte) (UploadedAttachment, error) {
	var uploaded UploadedAttachment
	header := http.Header{"Content-Type": {"application/octet-stream"}}
	response, err := c.Send(ctx, http.MethodPost, "/attachments", url.Values{"name": {name}}, header, file)
	if err != nil {
		return uploaded, err
	}
	return uploaded, json.Unmarshal(response.Body, &uploaded)
}

func (c *Client) json(ctx context.Context, method, path string, query url.Values, body, out any) error {
	var data []byte
	header := http.Header{}
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return err
		}
		header.Set("Content-Type", "application/json")
	}
	response, err := c.Send(ctx, method, path, query, header, data)
	if err != nil || out == nil || len(response.Body) == 0 {
		return err
	}
	return json.Unmarshal(response.Body, out)
}

// A Response is an answer below 400.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Send returns the response itself, for its headers or a file. Set the header Idempotency-Key to repeat a POST safely even
// after a restart. The error is an *Error for an answer of 400 or more.
func (c *Client) Send(ctx context.Context, method, path string, query url.Values, header http.Header, body []byte) (*Response, error) {
	address := c.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	header = header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Authorization", "Bearer "+c.key)
	if method == http.MethodPost && header.Get("Idempotency-Key") == "" {
		random := make([]byte, 16)
		rand.Read(random)
		header.Set("Idempotency-Key", hex.EncodeToString(random))
	}
	for tries := 1; ; tries++ {
		response, err := c.once(ctx, method, address, header, body)
		if err == nil || ctx.Err() != nil || tries >= c.MaxTries {
			return response, err
		}
		pause := min(firstPause<<(tries-1), longestPause)
		pause = pause/2 + time.Duration(mathrand.Int63n(int64(pause/2)))
		var problem *Error
		if errors.As(err, &problem) {
			if !slices.Contains(retried, problem.Status) && problem.Code != "idempotency_in_progress" {
				return nil, err
			}
			if asked, ok := retryAfter(problem.Header.Get("Retry-After")); ok {
				pause = asked
			}
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (c *Client) once(ctx context.Context, method, address string, header http.Header, body []byte) (*Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = header
	answer, err := c.HTTP.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode < 300 || answer.StatusCode == http.StatusNotModified {
		return &Response{answer.StatusCode, answer.Header, text}, nil
	}
	problem := &Error{Header: answer.Header}
	if json.Unmarshal(text, &problem.Problem) != nil || problem.Code == "" {
		problem.Code = "unknown"
		problem.Detail = fmt.Sprintf("The server answered %d.", answer.StatusCode)
	}
	problem.Status = answer.StatusCode
	return nil, problem
}

// retryAfter reads seconds or a date (RFC 9110).
func retryAfter(value string) (time.Duration, bool) {
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	at, err := http.ParseTime(value)
	return max(time.Until(at), 0), err == nil
}
