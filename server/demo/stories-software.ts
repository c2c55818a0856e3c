import { agent, customer, note, type Story } from './story.ts'

export const SOFTWARE_STORIES: Story[] = [
  {
    subjects: ['401 from the API since today', "API key doesn't work"],
    tags: ['api'],
    channels: ['api', 'email'],
    turns: [
      customer(
        'Since today, every call returns 401:\n\n```\ncurl https://api.parcelbird.example/v2/labels \\\n  -H "Authorization: Bearer pb_live_…"\n\n{"code":"unauthorized","detail":"Unknown key."}\n```\n\nNothing changed on our side.',
      ),
      agent(
        "Hi {first},\n\nThe key ending in …x4f expired last night: it was created with a 90-day limit. You can create a new one under Settings › API keys. Expired keys can't be restored.",
      ),
      customer('Ah, our trainee set that up. It works again, thanks!'),
    ],
    end: 'resolved',
  },
  {
    subjects: ["Webhook signature doesn't match", 'How do I verify webhooks in PHP?'],
    tags: ['api', 'webhooks'],
    channels: ['api', 'email', 'widget'],
    turns: [
      customer(
        "I compute the signature like this, and it never matches:\n\n```php\n$expected = hash_hmac('sha256', json_encode($request->all()), $secret);\n```\n\nWhat am I doing wrong?",
      ),
      agent(
        "Hi {first},\n\nThe signature has to be computed over the raw request body. `json_encode` escapes some characters differently:\n\n```php\n$expected = hash_hmac('sha256', $request->getContent(), $secret);\nif (!hash_equals($expected, $given)) abort(401);\n```",
      ),
      customer('That was it 🎉 Maybe put that in the docs in bold?'),
      note("Good idea. Passed it on to the docs team, they're adding a PHP example."),
      agent("Great idea. We're adding a PHP example to the docs. Thank you!"),
    ],
    end: 'resolved',
  },
  {
    subjects: [
      "Shopify orders aren't syncing",
      'Import from WooCommerce stopped',
      'Orders missing since the update',
    ],
    tags: ['integrations'],
    turns: [
      customer(
        "No new orders have come in since 6 p.m. yesterday. About 30 are waiting. Reconnecting didn't help.",
        'Orders with a coupon are no longer imported. All the others are. Example: {order}.',
      ),
      note('Same as four others this morning. The platform changed a field. A fix is rolling out.'),
      agent(
        "Hi {first},\n\nYour shop platform changed a field last night. We're rolling out a fix now, and the missing orders will then be imported automatically. I'll let you know when it's done.",
      ),
      agent('The fix is live and your orders are in. Could you check?'),
      customer('All there. Thank you!', 'Looks good. That was fast.'),
    ],
    end: 'resolved',
  },
  {
    subjects: [
      'Feature request: dark mode',
      'Idea: split one order into two parcels',
      'Please add a CSV export',
    ],
    tags: ['feature'],
    turns: [
      customer(
        'I often work in the evening and the white page hurts my eyes. Is a dark mode planned?',
        'We often need two parcels for one order. Right now I copy the order by hand. Could you add a button for that?',
        'A CSV of all parcels in a month would save me an hour. Is that planned?',
      ),
      agent(
        "Hi {first},\n\nI like it. I've added it to our list with your name, so you'll hear from me when there's news. I can't promise a date.",
      ),
      customer('Fair enough 🙂'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Page is very slow today', 'Timeout when opening orders'],
    tags: ['performance'],
    turns: [
      customer('Since this morning, the order list takes 20 seconds to open. Other pages are fine.'),
      agent(
        "Hi {first},\n\nThanks, I can reproduce it. Are you using a filter there, and which browser? There's no general outage at the moment: https://status.parcelbird.example",
      ),
      customer('Yes, “not paid”, with about 12,000 orders. Firefox.'),
      note('Missing index for old unpaid orders. Engineering has a fix, it ships tonight.'),
    ],
    end: 'open',
  },
  {
    subjects: ['Address import: error in line 214', 'CSV import fails'],
    tags: ['import'],
    channels: ['email', 'widget'],
    turns: [
      customer(
        "The import stops at line 214 with “invalid country”. The line is:\n\nMüller;Bahnhofstraße 12;6300;Zug;Schweiz\n\nWhat's wrong with it?",
      ),
      agent(
        'Hi {first},\n\nThat column needs the two-letter country code: CH instead of Schweiz. A quick find and replace will fix it. 🇨🇭',
      ),
      customer('Imported, 1,902 addresses. Thanks.'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['API rate limit', 'Getting 429 on label creation'],
    tags: ['api'],
    channels: ['api'],
    turns: [
      customer(
        'We create 900 labels every morning at 6 and get 429 after 300. Can you raise our limit, or is there a bulk call?',
      ),
      agent(
        "Hi {first},\n\nI've raised your key's limit to 1,200 requests per minute. There's also a bulk call for up to 100 labels, `POST /v2/labels/batch`, so you'd need only nine calls.",
      ),
    ],
    end: 'pending',
  },
]
