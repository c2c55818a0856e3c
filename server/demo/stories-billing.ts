import { agent, customer, note, type Story } from './story.ts'

export const BILLING_STORIES: Story[] = [
  {
    subjects: ['Invoice for last month is missing', 'Where do I find my invoices?', 'Missing invoice'],
    tags: ['billing'],
    turns: [
      customer(
        "My accountant needs last month's invoice and I can't find it in my email. Could you send it again?",
        'Hello, the invoice is missing and the tax office is waiting. Please send it to this address. Regards',
      ),
      agent(
        "Hi {first},\n\nYou can download all your invoices as PDFs under Settings › Billing › Invoices. I've also just emailed you last month's.",
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
        'My card was charged {amount} twice on the same day. I only bought one bundle.',
        'You charged me {amount} twice!! Please refund one.',
      ),
      note('The second payment is a duplicate of the first, 4 seconds apart. OK to refund.'),
      agent(
        "You're right, {first}, and I'm sorry: the payment was submitted twice. I've refunded {amount}. It should be back on your card in three to five days.",
      ),
      customer('Great, thanks for the quick help.'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['VAT number on our invoice', 'Please correct our company address'],
    tags: ['billing', 'vat'],
    channels: ['email', 'api'],
    turns: [
      customer(
        'We moved, and our invoices still show the old address in {city}. Can you correct past invoices too?\n\nBest regards\n{name}',
        "Please add our VAT number DE 000 000 000 to all of this quarter's invoices.",
      ),
      agent(
        "Hi {first},\n\nDone. New invoices will show the right details, and I've reissued the past ones. You'll find them under Billing › Invoices, marked “Corrected”.",
      ),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Question about Pro plan pricing', 'Which plan for 400 parcels a month?'],
    tags: ['sales'],
    channels: ['widget', 'email'],
    turns: [
      customer(
        'We ship about 400 parcels a month from two shops. Which plan is right for us, and is there a yearly price?',
        'Hi, does Starter include the API?',
      ),
      agent(
        'Hi {first}! At 400 parcels, Pro is cheaper than Starter: €49 a month, with no fee for the first 500 labels. If you pay yearly, you get two months free. Two shops are included.',
      ),
      customer("Sounds good. I'll talk to my partner and get back to you."),
    ],
    end: 'pending',
  },
  {
    subjects: ['Surcharge on {order}?', 'What is this {amount} charge?'],
    tags: ['billing', '{carrierTag}'],
    turns: [
      customer(
        "There's a “size correction” of {amount} on our invoice for {order}. The box is 40 × 30 × 20 cm, as always. Why?",
      ),
      agent(
        "Hi {first},\n\n{carrier} measured 61 cm instead of 40 cm. A loose strap can confuse the scanner. Could you send a photo of the box with a ruler? I'll dispute the charge for you.",
      ),
      customer('Photo: https://photos.example/{tracking}'),
      agent(
        "Thanks, I've disputed the charge. If they accept it, and they usually do, you'll see the credit on your next invoice.",
      ),
    ],
    end: 'pending',
  },
  {
    subjects: ['Cancel my subscription', 'I want to cancel'],
    tags: ['churn'],
    turns: [
      customer(
        "Hello, we're closing our shop at the end of the month and no longer need Parcelbird. How do I cancel?",
        'pls cancel. too expensive for 5 parcels a month',
      ),
      agent(
        "I'm sorry to see you go, {first}. Your plan ends this month and you won't be charged again. You can export your data until then under Settings › Export. All the best!",
      ),
      customer('Thanks for everything. It was a great product.', 'ok'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['SEPA mandate', 'Direct debit failed'],
    tags: ['billing'],
    channels: ['email'],
    turns: [
      customer('Your email says the direct debit failed, but our bank never received it. What should we do?'),
      note('Their bank merged, so the bank code changed. They need a new mandate.'),
      agent(
        "Hi {first},\n\nWe still have your IBAN from before your bank's merger. Please sign a new mandate under Billing › Payment. Your account stays active until the 15th.",
      ),
    ],
    end: 'open',
  },
]
