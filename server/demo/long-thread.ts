import { agent, customer, note, type Story } from './story.ts'

/** The ticket that everybody in the team knows: a big customer moves over. Forty messages. */
export const LONG_THREAD: Story = {
  subjects: ['Moving 3 warehouses and 14,000 parcels a month to Parcelbird – questions'],
  tags: ['onboarding', 'vip'],
  channels: ['email'],
  turns: [
    customer(
      'Dear team,\n\nwe send about 14,000 parcels a month from three warehouses (Rotterdam, Leipzig, Lyon) and want to move from our old system to yours by the end of the quarter. Before we sign we have a few questions:\n\n1. Can each warehouse have its own sender address and pickup times?\n2. Do you import the history of the last 24 months?\n3. How fast is the label API at 6 in the morning?\n\nKind regards\n{name}\nHead of Logistics',
    ),
    agent(
      'Dear {first},\n\nthank you, that is a nice mail to start a Monday with.\n\n1. Yes. Each warehouse is a "location" with its own address, printers and pickups.\n2. Yes, as CSV or through the API. We help with it.\n3. The median is 140 ms, also at 6.\n\nShall we have a call this week?',
    ),
    customer('Thursday 10:00 would suit us. There will be four of us.'),
    agent('Thursday 10:00 it is. You get an invitation with a link.'),
    note('Potential: 14k × 12. Jonas joins for the technical part.'),
    customer(
      'Good call, thank you. As promised the export of one day: https://files.example/day-one.csv (2.1 MB)',
    ),
    agent('Got it. 611 orders, 608 could be read. Three have no house number. Is that right?'),
    customer('Those are farms in Ireland. They really have none.'),
    agent('Of course they do. 🙂 Then I allow empty house numbers for IE.'),
    customer('Our developers ask for a test account with three locations.'),
    agent(
      'It is ready: https://sandbox.parcelbird.example – the keys are in your vault under "Parcelbird test".',
    ),
    customer(
      'First try from Leipzig:\n\n```\nPOST /v2/labels\n{"location":"leipzig","carrier":"gls","weight":1.2}\n→ 400 {"code":"invalid_request","errors":[{"pointer":"/weight","detail":"Must be a whole number of grams."}]}\n```\n\nGrams? Really?',
    ),
    agent(
      'Grams, yes: `1200`. Whole numbers never lose a cent on the way. The error text could say it better, I passed that on.',
    ),
    customer('Works. 200 test labels in 31 seconds. Our people are pleased.'),
    agent('That makes two of us.'),
    customer('Next: Lyon uses A4 paper with two labels on a page. Is there a layout for that?'),
    agent(
      'Yes: "A4, two labels". There is an option to begin with the lower half, so that no paper is lost.',
    ),
    customer('They say the lower label is 3 mm too high.'),
    note('Reproduced. Margin of the A4 layout is wrong with Colissimo only.'),
    agent('They are right, with Colissimo it is. Fix is in testing. Until tomorrow the upper half is fine.'),
    customer('OK. 3 mm, and they noticed. I love Lyon.'),
    agent('Fixed this morning. Could Lyon try again?'),
    customer('Perfect to the hair, they say.'),
    customer('Now the history: 24 months, 322,410 parcels, 1.4 GB. How do you want it?'),
    agent('In files of 100,000 lines, please, to the upload address I sent you. Order does not matter.'),
    customer('Uploaded: 4 files.'),
    agent('Import is running: about 40 minutes for each file.'),
    agent('Done. 322,408 imported, 2 refused: both have a date in the year 2102.'),
    customer('Time travellers. Leave them out.'),
    customer(
      'Our data protection officer needs the contract for order processing (Art. 28) with the list of subcontractors.',
    ),
    agent('Attached to your account under Documents, signed by us. The list of subcontractors is annex 2.'),
    customer('She has one question: where are the backups?'),
    agent('In Frankfurt and Amsterdam, encrypted, kept for 35 days.'),
    customer('She is happy. I have never written that sentence before.'),
    agent('I print it and hang it on the wall.'),
    customer(
      'Plan: Rotterdam goes live on Monday, Leipzig a week later, Lyon the week after. Who do we call if something burns at 6 in the morning?',
    ),
    agent(
      'Me until Friday in three weeks: the number is in your vault. After that the normal on-call number, day and night.',
    ),
    customer('Rotterdam is live. First truck left at 7:20 with 1,204 parcels. No problems. 🚚🎉'),
    agent('🎉🎉🎉 Congratulations to the whole team in Rotterdam!'),
    note('Leipzig next Monday. Mei watches the queue from 5:30.'),
    customer('One thing: the morning report arrives at 8, our meeting is at 7:45. Could it come earlier?'),
    agent('From tomorrow on it comes at 7:15.'),
    customer('Wonderful. Until next Monday then.'),
  ],
  end: 'open',
}
