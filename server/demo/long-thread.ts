import { agent, customer, note, type Story } from './story.ts'

/** A large customer moves to Parcelbird: forty messages. */
export const LONG_THREAD: Story = {
  subjects: ['Moving 3 warehouses and 14,000 parcels a month to Parcelbird'],
  tags: ['onboarding', 'vip'],
  channels: ['email'],
  turns: [
    customer(
      'Dear Parcelbird team,\n\nWe ship about 14,000 parcels a month from three warehouses (Rotterdam, Leipzig and Lyon) and want to switch from our old system to yours by the end of the quarter. Before we sign, we have a few questions:\n\n1. Can each warehouse have its own sender address and pickup times?\n2. Can you import our history of the last 24 months?\n3. How fast is the label API at 6 a.m.?\n\nKind regards\n{name}\nHead of Logistics',
    ),
    agent(
      "Dear {first},\n\nThank you, that's a great email to start a Monday with.\n\n1. Yes. Each warehouse is a “location” with its own address, printers and pickups.\n2. Yes, as CSV or through the API. We'll help you with it.\n3. The median is 140 ms, at 6 a.m. too.\n\nWould you like to have a call this week?",
    ),
    customer('Thursday at 10:00 would work for us. There will be four of us.'),
    agent("Thursday at 10:00 it is. I'll send an invitation with a link."),
    note('Potential: 14k × 12. Jonas will join for the technical part.'),
    customer(
      'Thanks for the call. As promised, here is one day of data: https://files.example/day-one.csv (2.1 MB)',
    ),
    agent('Got it. We could read 608 of 611 orders. Three have no house number. Is that right?'),
    customer("Those are farms in Ireland. They really don't have one."),
    agent("Ah, of course. 🙂 I'll allow empty house numbers for IE."),
    customer('Our developers would like a test account with three locations.'),
    agent(
      "It's ready: https://sandbox.parcelbird.example. The keys are in your vault under “Parcelbird test”.",
    ),
    customer(
      'First try from Leipzig:\n\n```\nPOST /v2/labels\n{"location":"leipzig","carrier":"gls","weight":1.2}\n→ 400 {"code":"invalid_request","errors":[{"pointer":"/weight","detail":"Must be a whole number of grams."}]}\n```\n\nGrams? Really?',
    ),
    agent(
      "Yes, grams: `1200`. Whole numbers avoid rounding errors. The error message could be clearer, so I've passed that on.",
    ),
    customer('Works. 200 test labels in 31 seconds. Our developers are happy.'),
    agent('Glad to hear it!'),
    customer('Next: Lyon uses A4 paper with two labels per page. Is there a layout for that?'),
    agent("Yes, “A4, two labels”. There's an option to start with the lower half so you don't waste paper."),
    customer('They say the lower label is 3 mm too high.'),
    note('Reproduced. The margin of the A4 layout is wrong, but only for Colissimo.'),
    agent(
      "They're right, for Colissimo it is. A fix is being tested. Until tomorrow, please use the upper half.",
    ),
    customer('OK. Three millimeters, and they noticed. I love Lyon.'),
    agent('Fixed this morning. Could Lyon try again?'),
    customer('Spot on, they say.'),
    customer('Now for the history: 24 months, 322,410 parcels, 1.4 GB. How should we send it?'),
    agent("In files of 100,000 lines, please, to the upload link I sent you. The order doesn't matter."),
    customer('Uploaded, 4 files.'),
    agent('The import is running. It takes about 40 minutes per file.'),
    agent('Done. 322,408 parcels imported, 2 rejected: both are dated 2102.'),
    customer('Time travelers. Leave them out.'),
    customer(
      'Our data protection officer needs the data processing agreement (Art. 28) with the list of subprocessors.',
    ),
    agent("It's in your account under Documents, signed by us. The list of subprocessors is in Annex 2."),
    customer('She has one question: where are the backups stored?'),
    agent('In Frankfurt and Amsterdam, encrypted, for 35 days.'),
    customer("She's happy. I've never written that sentence before."),
    agent("I'm printing that and putting it on the wall."),
    customer(
      'The plan: Rotterdam goes live on Monday, Leipzig a week later, Lyon the week after. Who do we call if something goes wrong at 6 a.m.?',
    ),
    agent(
      'Call me for the first three weeks: the number is in your vault. After that, our on-call number is staffed around the clock.',
    ),
    customer('Rotterdam is live. The first truck left at 7:20 with 1,204 parcels. No problems. 🚚🎉'),
    agent('🎉🎉🎉 Congratulations to the whole team in Rotterdam!'),
    note('Leipzig is next Monday. Mei will watch the queue from 5:30.'),
    customer(
      'One more thing: the morning report arrives at 8:00, but our meeting is at 7:45. Could we get it earlier?',
    ),
    agent("Starting tomorrow, you'll get it at 7:15."),
    customer('Wonderful. Talk to you on Monday!'),
  ],
  end: 'open',
  endedHoursAgo: 3,
}
