import { agent, customer, note, type Story } from './story.ts'

export const PARCEL_STORIES: Story[] = [
  {
    subjects: ['Parcel {order} has not moved for a week', 'Tracking stuck: {order}', 'Where is {order}?'],
    tags: ['tracking'],
    turns: [
      customer(
        'Hello, the tracking of {tracking} has said "In transit, {city}" for seven days now. My customer is getting nervous. Can you find out where it is?',
        'Hi! {order} was handed to {carrier} last week and since then: nothing. No scan, no mail. Is it lost?',
      ),
      agent(
        'Hi {first}, thanks for writing. I have opened a trace with {carrier}: they have 48 hours to answer. I will write as soon as I know more.',
        'Hello {first}, that is too long, I agree. I asked {carrier} to look for it in the depot of {city} and will come back to you tomorrow at the latest.',
      ),
      note('{carrier} depot in {city} has a backlog since the strike. Trace number is in the portal.'),
      agent(
        'Good news: it was scanned this morning and goes out for delivery tomorrow. The delay was a backlog in {city}.',
      ),
      customer('Perfect, it arrived. Thank you for the quick help! 🙏', 'It came today. Thanks a lot.'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Label will not print on my Zebra', 'Printer cuts the label in half'],
    tags: ['labels', 'printing'],
    turns: [
      customer(
        'Since this morning every label comes out cut off on the right. Zebra ZD421, 10 × 15 cm paper. Nothing was changed here. It happened with {order} first.',
        'Our label printer prints two blank labels after each good one. We lose a roll a day!',
      ),
      agent(
        'Hi {first}, that is usually the paper size of the driver. Could you open Settings › Printing and tell me which format is chosen there?',
      ),
      customer('It says A6. Should it be something else?'),
      agent(
        'Yes: please choose "4 × 6 inch" and print the test page.\n\n1. Settings › Printing › Format\n2. 4 × 6 inch (102 × 152 mm)\n3. Test page\n\nWindows updates sometimes reset this.',
      ),
      customer('That was it. You saved my afternoon.'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Wrong address on {order}', 'Change the address of {order} please'],
    tags: ['labels'],
    turns: [
      customer(
        'I bought the label for {order} with the old address of the customer. It was not picked up yet. Can it be changed?',
        'Typo in the street name, the parcel is still on my desk. What can I do so that it does not come back?',
      ),
      agent(
        'Hi {first}, as long as it was not scanned you can cancel the label and buy a new one: Orders › {order} › Cancel label. The {amount} are back in your balance at once.',
      ),
      customer('Great, that worked.'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Damaged parcel, how do I claim?', 'Box arrived crushed ({order})'],
    tags: ['claims', '{carrierTag}'],
    turns: [
      customer(
        'My customer in {city} got {order} with a broken vase inside. Insured up to 500 €. What do you need from me?',
        'The box looks like somebody stood on it. Photos: https://photos.example/{tracking} – who pays for this?',
      ),
      agent(
        'Sorry to read that, {first}. For the claim I need three things:\n\n- a photo of the box from outside, with the label\n- a photo of the damage\n- the invoice of the goods\n\nYou can answer right here.',
      ),
      customer('Here they are: https://photos.example/{tracking}/all'),
      note('Complete. Filed with {carrier}, claim over {amount}. They usually take ten working days.'),
      agent('Thank you, that is everything. The claim is filed. {carrier} decides within ten working days.'),
    ],
    end: 'pending',
  },
  {
    subjects: ['Pickup did not come', 'Driver never showed up today'],
    tags: ['pickup'],
    turns: [
      customer(
        'We had a pickup booked from 14 to 16 h for 22 parcels. Nobody came, nobody called. Now I have 22 angry customers.',
        'Third time this month that {carrier} does not come. I am really tired of it.',
      ),
      agent(
        'That should not happen, {first}, I am sorry. I booked a new one for tomorrow 9 to 11 h, first stop of the tour. Does that suit you?',
      ),
      customer('Yes, but please make sure they really come.'),
      note('Called the depot in {city}: driver was ill, no replacement. They promised first stop.'),
      agent(
        'I spoke to the depot myself: you are the first stop. And I credited the pickup fee of {amount}.',
      ),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Customs form for Switzerland', 'Which customs number do I need?', 'CN23 rejected'],
    tags: ['customs'],
    turns: [
      customer(
        'I send coffee to Switzerland for the first time. The form asks for an HS code. Where do I find it?',
        'The CN23 of {order} was rejected: "description of goods too general". I wrote "gift". What do they want?',
      ),
      agent(
        'Hi {first}, roasted coffee is 0901 21. Please also write what it is in plain words ("roasted coffee beans, 2 × 500 g"), with the value of each. This list helps: https://customs.example/codes',
      ),
      customer('Thanks! Accepted on the second try.'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Return label for {order}', 'How do returns work?'],
    tags: ['returns'],
    channels: ['widget', 'telegram', 'email'],
    turns: [
      customer('How can my customer send {order} back without paying?', 'need a return label pls'),
      agent(
        'Hi {first}! Open the order and choose "Return label": it makes a QR code that your customer shows at the counter, no printer needed. You only pay when it is used.',
      ),
      customer('👍', 'cool, thx'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['{carrier} says delivered, customer says no', 'Delivered to a "neighbour" nobody knows'],
    tags: ['claims', 'tracking'],
    turns: [
      customer(
        '{order}: {carrier} says it was delivered to "M." yesterday at 11:42. My customer lives alone on a farm.',
      ),
      agent(
        'Hi {first}, I asked {carrier} for the proof of delivery with the position. That takes two to three days. Please ask your customer to look in the shed, farms surprise us. 🙂',
      ),
    ],
    end: 'pending',
  },
]
