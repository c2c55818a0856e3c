import { agent, customer, note, type Story } from './story.ts'

export const MONEY_STORIES: Story[] = [
  {
    subjects: ['Invoice for last month is missing', 'Where do I find my invoices?', 'Missing invoice'],
    tags: ['billing'],
    turns: [
      customer(
        'My accountant asks for the invoice of last month and I cannot find it in the mails. Could you send it again?',
        'Hello, invoice missing. Tax office waiting. Please send to this address. Regards',
      ),
      agent(
        "Hello {first}, all invoices are under Settings › Billing › Invoices as PDF. I also sent last month's to your address just now.",
      ),
      customer('Got it, thank you.'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Charged twice', 'Double payment of {amount}'],
    tags: ['billing', 'refund'],
    turns: [
      customer(
        'My card shows {amount} twice on the same day. I only bought one bundle.',
        'You took {amount} two times!! Please give one back.',
      ),
      note('Second payment is a duplicate of the first, 4 s apart. Refund is safe.'),
      agent(
        'You are right, {first}, and I am sorry: the payment page was sent twice. I refunded {amount}; it is on your card within three to five days.',
      ),
      customer('Fine. Thank you for being quick.'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['VAT number on our invoice', 'Please correct our company address'],
    tags: ['billing', 'vat'],
    channels: ['email', 'api'],
    turns: [
      customer(
        'We moved, and our invoices still show the old address in {city}. Can past invoices be corrected too?\n\nBest regards\n{name}',
        'Please add our VAT number DE 000 000 000 to all invoices of this quarter.',
      ),
      agent(
        'Hello {first}, I changed it for the future. For invoices of the past I made corrections; they are under Billing › Invoices, marked "corrected".',
      ),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Question about the price of the Pro plan', 'Which plan for 400 parcels a month?'],
    tags: ['sales'],
    channels: ['widget', 'email'],
    turns: [
      customer(
        'We send about 400 parcels a month and use two shops. Which plan is the right one for us, and is there a yearly price?',
        'Hi, does Starter include the API?',
      ),
      agent(
        'Hi {first}! With 400 parcels Pro is cheaper than Starter: 49 € a month with the first 500 labels without a fee. By the year it is ten months for twelve. Two shops are included.',
      ),
      customer('Sounds good, I will talk to my partner and come back.'),
    ],
    end: 'pending',
  },
  {
    subjects: ['Surcharge on {order}?', 'What is this {amount} for'],
    tags: ['billing', '{carrierTag}'],
    turns: [
      customer(
        'There is a "size correction" of {amount} on our invoice for {order}. The box is 40 × 30 × 20 as always. Why?',
      ),
      agent(
        'Hi {first}, {carrier} measured 61 cm instead of 40 cm. Sometimes the scanner sees a strap. Do you have a photo of such a box with a ruler? Then I dispute it for you.',
      ),
      customer('Photo: https://photos.example/{tracking}'),
      agent(
        'Thank you, disputed. You will see the credit on the next invoice when they agree, and they mostly do.',
      ),
    ],
    end: 'pending',
  },
  {
    subjects: ['Cancel my subscription', 'I want to cancel'],
    tags: ['churn'],
    turns: [
      customer(
        'Hello, we close our shop at the end of the month and do not need Parcelbird any more. How do I cancel?',
        'pls cancel. too expensive for 5 parcels a month',
      ),
      agent(
        'I am sorry to see you go, {first}. Your plan ends with this month; nothing more will be charged. Your data can be exported until then under Settings › Export. All the best!',
      ),
      customer('Thank you for the years. It was a good product.', 'ok'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['SEPA mandate', 'Direct debit failed'],
    tags: ['billing'],
    channels: ['email'],
    turns: [
      customer(
        'Your mail says that the direct debit failed. Our bank says that they never saw it. What now?',
      ),
      note('Bank code was changed by a merger. Needs a new mandate.'),
      agent(
        'Hello {first}, the IBAN is still the one from before your bank was merged. Please sign a new mandate under Billing › Payment; nothing is blocked until the 15th.',
      ),
    ],
    end: 'open',
  },
]
