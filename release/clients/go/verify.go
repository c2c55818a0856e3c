package bellhop

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tolerance is how old a signed body can be, and how far the clocks can differ.
const tolerance = 5 * time.Minute

// ErrWrongSignature means that a webhook isn't from Bellhop, was changed, or is too old. Answer with 401.
var ErrWrongSignature = errors.New("the signature of the webhook is wrong or too old")

// A Webhook is the body of one. Data depends on the event.
type Webhook struct {
	Event     string          `json:"event"`
	CreatedAt time.Time       `json:"createdAt"`
	Data      json.RawMessage `json:"data"`
}

// Verify checks the signature of a webhook and returns its body, which must be as received. The secret is the endpoint's,
// with whsec_. Ignore a second delivery with the same X-Service-Delivery.
func Verify(body []byte, header http.Header, secret string) (Webhook, error) {
	var webhook Webhook
	isRight := false
	if signatures := header.Get("webhook-signature"); signatures != "" {
		isRight = isStandard(body, header, signatures, secret)
	} else {
		signed := "sha256=" + hex.EncodeToString(sign([]byte(secret), body))
		isRight = hmac.Equal([]byte(signed), []byte(header.Get("X-Service-Signature")))
	}
	if !isRight {
		return webhook, ErrWrongSignature
	}
	return webhook, json.Unmarshal(body, &webhook)
}

// isStandard checks Standard Webhooks: with a time, and with each secret while it is rotated.
func isStandard(body []byte, header http.Header, signatures, secret string) bool {
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	start := header.Get("webhook-id") + "." + timestamp + "."
	signed := "v1," + base64.StdEncoding.EncodeToString(sign(key, append([]byte(start), body...)))
	for _, signature := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(signed), []byte(signature)) {
			return true
		}
	}
	return false
}

func sign(key, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	return mac.Sum(nil)
}
