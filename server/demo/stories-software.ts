import { agent, customer, note, type Story } from './story.ts'

export const SOFTWARE_STORIES: Story[] = [
  {
    subjects: ['401 from the API since today', 'API key does not work'],
    tags: ['api'],
    channels: ['api', 'email'],
    turns: [
      customer(
        'Since today every call answers 401:\n\n```\ncurl https://api.parcelbird.example/v2/labels \\\n  -H "Authorization: Bearer pb_live_…"\n\n{"code":"unauthorized","detail":"Unknown key."}\n```\n\nNothing was changed on our side.',
      ),
      agent(
        'Hi {first}, the key that ends in …x4f expired last night: it was made with an end after 90 days. You can make a new one under Settings › API keys. Expired keys cannot be brought back.',
      ),
      customer('Ah. Our trainee set that. Works again, thanks!'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Webhook signature does not match', 'How do I verify webhooks in PHP?'],
    tags: ['api', 'webhooks'],
    channels: ['api', 'email', 'widget'],
    turns: [
      customer(
        "I compute the signature like this, and it never matches:\n\n```php\n$expected = hash_hmac('sha256', json_encode($request->all()), $secret);\n```\n\nWhat is wrong?",
      ),
      agent(
        "Hi {first}, it must be computed over the raw bytes. `json_encode` orders and escapes things differently:\n\n```php\n$expected = hash_hmac('sha256', $request->getContent(), $secret);\nif (!hash_equals($expected, $given)) abort(401);\n```",
      ),
      customer('That was it 🎉 Maybe put it into the docs in bold?'),
      note('Good idea, told docs. They add a PHP example.'),
      agent('Already on its way into the docs. Thank you!'),
    ],
    end: 'resolved',
  },
  {
    subjects: [
      'Shopify orders do not sync',
      'Import from WooCommerce stopped',
      'Orders missing since the update',
    ],
    tags: ['integrations'],
    turns: [
      customer(
        'Since yesterday 18:00 no new orders come in. There are about 30 waiting. Reconnecting did not help.',
        'Orders with a coupon are not imported any more. All others are. Example: {order}.',
      ),
      note('Same as four others this morning. Platform changed a field, fix is being rolled out.'),
      agent(
        'Hi {first}, the shop system changed a field last night. We are rolling out a fix right now; orders that are missing will be imported by themselves. I will tell you when it is done.',
      ),
      agent('Done: your orders are in. Could you check?'),
      customer('All there. Thank you!', 'Looks good. You are fast.'),
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
        'I work in the evening and the white page hurts my eyes. Will there be a dark mode?',
        'We often need two parcels for one order. Today I copy the order by hand. Could there be a button?',
        'A CSV of all parcels of a month would save me an hour. Is that planned?',
      ),
      agent(
        'Hi {first}, I like it. I put it on our list with your name, and you will hear from me when it moves. No promise of a date.',
      ),
      customer('Fair enough 🙂'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Page is very slow today', 'Timeout when opening orders'],
    tags: ['performance'],
    turns: [
      customer('Opening the list of orders takes 20 seconds since this morning. Other pages are fine.'),
      agent(
        'Hi {first}, I can see it. Do you use a filter there? And which browser? We have no general problem at the moment: https://status.parcelbird.example',
      ),
      customer('Filter: "not paid", and about 12,000 orders. Firefox.'),
      note('Missing index for unpaid + old orders. Dev has a fix, goes out tonight.'),
    ],
    end: 'open',
  },
  {
    subjects: ['Import of addresses: error in line 214', 'CSV import fails'],
    tags: ['import'],
    channels: ['email', 'widget'],
    turns: [
      customer(
        'The import stops at line 214 with "invalid country". The line is:\n\nMüller;Bahnhofstraße 12;6300;Zug;Schweiz\n\nWhat is wrong with it?',
      ),
      agent(
        'Hi {first}, the column must hold the two letters of the country: CH instead of Schweiz. With search and replace it is done in a minute. 🇨🇭',
      ),
      customer('Imported, 1,902 addresses. Thanks.'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Rate limit in the API', 'Getting 429 on label creation'],
    tags: ['api'],
    channels: ['api'],
    turns: [
      customer(
        'We create 900 labels every morning at 6 and get 429 after 300. Can the limit be raised for us, or is there a bulk call?',
      ),
      agent(
        'Hi {first}, I raised your key to 1,200 a minute. And there is a bulk call for up to 100 labels: `POST /v2/labels/batch`. With it you need nine calls.',
      ),
    ],
    end: 'pending',
  },
]
