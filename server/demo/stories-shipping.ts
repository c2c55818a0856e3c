import { agent, customer, note, type Story } from './story.ts'

export const SHIPPING_STORIES: Story[] = [
  {
    subjects: ["Parcel {order} hasn't moved for a week", 'Tracking stuck: {order}', 'Where is {order}?'],
    tags: ['tracking'],
    turns: [
      customer(
        'Hello, {tracking} has been “In transit, {city}” for seven days now. My customer is getting nervous. Can you find out where it is?',
        "Hi! {order} went to {carrier} last week and we've heard nothing since. No scan, no email. Is it lost?",
      ),
      agent(
        "Hi {first},\n\nThanks for writing. I've opened a trace with {carrier}. They have 48 hours to respond, and I'll write as soon as I know more.",
        "Hi {first},\n\nThat's too long, I agree. I've asked {carrier} to look for it at their depot in {city} and will get back to you by tomorrow.",
      ),
      note(
        "{carrier}'s depot in {city} has had a backlog since the strike. The trace number is in the portal.",
      ),
      agent(
        'Good news: it was scanned this morning and will be delivered tomorrow. It was held up by a backlog in {city}.',
      ),
      customer('It arrived. Thank you for the quick help! 🙏', 'It came today. Thanks a lot.'),
    ],
    end: 'resolved',
  },
  {
    subjects: ["Label won't print on my Zebra", 'Printer cuts the label in half'],
    tags: ['labels', 'printing'],
    turns: [
      customer(
        'Since this morning, every label is cut off on the right. Zebra ZD421, 10 × 15 cm paper. Nothing changed on our side. It first happened with {order}.',
        'Our label printer prints two blank labels after each good one. We lose a roll a day!',
      ),
      agent(
        "Hi {first},\n\nThat's usually the driver's paper size. Could you open **Settings › Printing** and tell me which format is selected?",
      ),
      customer('It says A6. Should it be something else?'),
      agent(
        'Yes. Please change the format:\n\n1. Open **Settings › Printing › Format**\n2. Choose **4 × 6 inch (102 × 152 mm)**\n3. Print the **test page**\n\nWindows updates sometimes reset this.',
      ),
      customer('That was it. You saved my afternoon.'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Wrong address on {order}', 'Please change the address of {order}'],
    tags: ['labels'],
    turns: [
      customer(
        "I bought the label for {order} with my customer's old address. It hasn't been picked up yet. Can I change it?",
        "There's a typo in the street name. The parcel is still on my desk. What can I do so it doesn't get returned?",
      ),
      agent(
        'Hi {first},\n\nUntil the parcel is scanned, you can cancel the label and buy a new one: Orders › {order} › Cancel label. The {amount} goes back to your balance right away.',
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
        "My customer in {city} got {order} with a broken vase inside. It's insured up to €500. What do you need from me?",
        'The box looks like someone stood on it. Photos: https://photos.example/{tracking}. Who pays for this?',
      ),
      agent(
        "I'm sorry to hear that, {first}. For the claim I need **three things**:\n\n- a photo of the outside of the box, with the label\n- a photo of the damage\n- the invoice for the goods\n\nYou can just reply here.",
      ),
      customer('Here they are: https://photos.example/{tracking}/all'),
      note('Complete. Filed with {carrier}, claim for {amount}. They usually take ten working days.'),
      agent(
        "Thanks, that's everything. I've filed the claim, and {carrier} will decide within ten working days.",
      ),
    ],
    end: 'pending',
  },
  {
    subjects: ['Pickup never came', 'Driver never showed up today'],
    tags: ['pickup'],
    turns: [
      customer(
        'We had a pickup booked between 2 and 4 p.m. for 22 parcels. No one came and no one called. Now I have 22 angry customers.',
        "That's the third time this month {carrier} hasn't shown up. I'm really tired of it.",
      ),
      agent(
        "I'm sorry, {first}, that shouldn't happen. I've booked a new pickup for tomorrow between 9 and 11 a.m., first stop on the route. Does that work for you?",
      ),
      customer('Yes, but please make sure they really come.'),
      note(
        'Called the depot in {city}: the driver was sick and had no replacement. They promised first stop.',
      ),
      agent(
        "I spoke to the depot myself: you're their first stop. I've also credited the pickup fee of {amount}.",
      ),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Customs form for Switzerland', 'Which customs number do I need?', 'CN23 rejected'],
    tags: ['customs'],
    turns: [
      customer(
        "I'm sending coffee to Switzerland for the first time. The form asks for an HS code. Where do I find it?",
        'The CN23 for {order} was rejected: “description of goods too general”. I wrote “gift”. What should I write?',
      ),
      agent(
        'Hi {first},\n\nRoasted coffee is 0901 21. Please also describe the contents in plain words, such as “roasted coffee beans, 2 × 500 g”, with the value of each item. You can look up other codes here: https://customs.example/codes',
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
      customer('How can my customer return {order} for free?', 'need a return label pls'),
      agent(
        "Hi {first}! Open the order and choose “Return label”. Your customer gets a QR code to show at the counter, so they don't need a printer. You only pay if it's used.",
      ),
      customer('👍', 'cool, thx'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['{carrier} says delivered, customer says no', 'Delivered to a “neighbor” no one knows'],
    tags: ['claims', 'tracking'],
    turns: [
      customer(
        '{order}: {carrier} says it was delivered to “M.” yesterday at 11:42. My customer lives alone on a farm.',
      ),
      agent(
        "Hi {first},\n\nI've asked {carrier} for the proof of delivery with its location. That takes two to three days. In the meantime, could your customer check the shed? It wouldn't be the first time. 🙂",
      ),
    ],
    end: 'pending',
  },
]
