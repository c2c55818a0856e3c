import { agent, customer, note, type Story } from './story.ts'

const CONFIRMATION = `
<p>Hello,</p>
<p>I ordered <b>4</b> rolls of labels, but your confirmation says <b style="color:#b91c1c">40</b>. Please have a look before you ship them!</p>
<p>{name}</p>
<div class="gmail_quote"><div>On Monday, Parcelbird Shop &lt;orders@shop.parcelbird.example&gt; wrote:</div>
<blockquote class="gmail_quote" style="margin:0 0 0 8px;border-left:1px solid #ccc;padding-left:8px">
<table width="560" cellpadding="0" cellspacing="0" style="background:#eff6ff;font-family:Arial,sans-serif">
<tr><td style="padding:20px"><img src="cid:parcelbird.png" alt="Parcelbird" width="180" height="48"></td></tr>
<tr><td style="padding:0 20px 12px;font-size:22px;color:#1e3a8a"><b>Thank you for your order!</b></td></tr>
<tr><td style="padding:0 20px 20px"><table width="520" cellpadding="8" style="background:#ffffff;border-collapse:collapse">
<tr style="background:#dbeafe"><th align="left">Item</th><th align="right">Pieces</th><th align="right">Price</th></tr>
<tr><td>Thermal labels 102 × 152 mm, roll of 300</td><td align="right"><b>40</b></td><td align="right">€316.00</td></tr>
<tr><td>Shipping to {city}</td><td></td><td align="right">€0.00</td></tr></table></td></tr>
<tr><td style="padding:0 20px 20px"><a href="https://shop.parcelbird.example/orders/{order}" style="background:#2563eb;color:#ffffff;padding:10px 16px;border-radius:6px">View your order {order}</a></td></tr>
<tr><td style="padding:0 20px 20px"><img src="https://news.parcelbird.example/autumn.jpg" alt="Our autumn offers" width="520" height="120"></td></tr>
</table></blockquote></div>`

const COMPLAINT = `
<p>Dear Parcelbird team,</p>
<p>this is <b>the second broken vase in a month</b>, and I am <span style="color:#b91c1c"><b>really disappointed</b></span>.</p>
<ul><li>Order <b>{order}</b>, delivered by {carrier} today</li><li>The box has a hole <i>and</i> a bent corner</li><li>The vase is in pieces</li></ul>
<p><img src="cid:crushed-box.png" alt="The crushed box" width="360" height="240"></p>
<p>The invoice is attached. I expect a refund of <u>{amount}</u> this week.</p>
<p style="color:#6b7280;font-size:12px">{name}<br>Sent from my phone</p>`

/** Conversations by email that show what mails can have: HTML, pictures, files, further people, and automatic answers. */
export const EMAIL_STORIES: Story[] = [
  {
    subjects: ['Second broken vase: {order}'],
    tags: ['claims', '{carrierTag}'],
    channels: ['email'],
    from: ['giulia.conti'],
    turns: [
      {
        ...customer(
          'Dear Parcelbird team,\n\nThis is the second broken vase in a month, and I am really disappointed.\n\n- Order {order}, delivered by {carrier} today\n- The box has a hole and a bent corner\n- The vase is in pieces\n\nThe invoice is attached. I expect a refund of {amount} this week.\n\n{name}\nSent from my phone',
        ),
        mail: { html: COMPLAINT, inline: ['crushed-box.png'], files: ['invoice.pdf'] },
      },
      note('Two claims with {carrier} in four weeks. I asked their depot in {city} about the sorting belt.'),
      {
        ...agent(
          "Dear {first},\n\nI'm **very sorry**, twice is not bad luck anymore. I've refunded {amount} today.\n\nSo that {carrier} pays for it, I need two things from you:\n\n1. The attached form, signed\n2. A photo of the *inside* of the box\n\nUntil we know more, I'd ship vases with [double-walled boxes](https://help.parcelbird.example/fragile).",
        ),
        mail: { files: ['claim-form.pdf'] },
      },
      customer('Thank you, that was quick. I will send the form tomorrow.'),
    ],
    end: 'open',
    endedHoursAgo: 2,
  },
  {
    subjects: ['Re: Your order {order} is confirmed'],
    tags: ['orders'],
    channels: ['email'],
    from: ['hannah.schmidt'],
    turns: [
      {
        ...customer(
          'Hello,\n\nI ordered 4 rolls of labels, but your confirmation says 40. Please have a look before you ship them!\n\n{name}\n\nOn Monday, Parcelbird Shop <orders@shop.parcelbird.example> wrote:\n> Thank you for your order!\n>\n> Thermal labels 102 × 152 mm, roll of 300: 40 pieces, €316.00\n> Shipping to {city}: €0.00\n>\n> View your order: https://shop.parcelbird.example/orders/{order}',
        ),
        mail: { html: CONFIRMATION, inline: ['parcelbird.png'] },
      },
      agent(
        "Hi {first},\n\nCaught in time! I've changed {order} to **4 rolls**: €31.60 instead of €316.00. You'll get a new confirmation in a few minutes.",
      ),
      customer('Perfect, thank you!'),
    ],
    end: 'resolved',
    endedHoursAgo: 5,
  },
  {
    subjects: ['Labels cut off on the right since this morning'],
    tags: ['labels', 'printing'],
    channels: ['email'],
    from: ['soren'],
    turns: [
      {
        ...customer(
          'Hi,\n\nAll labels are cut off since this morning. The log of the printer and a scan are attached. Mette from our warehouse is in copy, she can test anything you need.\n\nBest regards\n{name}',
        ),
        mail: { files: ['printer.log', 'label.png'], cc: [{ name: 'Mette Holm', address: 'warehouse' }] },
      },
      agent(
        'Hi {first}, hi Mette,\n\nThe log shows it: the page is `864` dots wide, but the printer is set to `812`. Please:\n\n1. Open **Settings › Printing › Format**\n2. Choose **4 × 6 inch (102 × 152 mm)**\n3. Print the test page',
      ),
      {
        ...customer(
          'Did that, and the test page is fine. Tomorrow at 7 we print 200 of them, then I will know.',
        ),
        mail: { from: { name: 'Mette Holm', address: 'warehouse' } },
      },
    ],
    end: 'open',
    endedHoursAgo: 9,
  },
  {
    subjects: ['Contract for 2027'],
    tags: ['sales'],
    channels: ['email'],
    from: ['matthias'],
    turns: [
      customer(
        'Dear Parcelbird team,\n\nOur contract ends in December. Could you send me an offer for 2027, with 900 parcels a month?\n\nKind regards\n{name}',
      ),
      agent(
        'Dear {first},\n\nThank you for staying with us. For **900 parcels a month** we offer:\n\n- *Pro*, paid monthly: €79\n- *Pro*, paid yearly: €69\n\nBoth include the API and two warehouses. Which one may I prepare?',
      ),
      {
        ...customer(
          'Thank you for your message. I am out of the office until Monday and will answer when I am back. In urgent cases, please write to office@bergzeit-shop.example.',
        ),
        mail: { isAutomatic: true },
      },
    ],
    end: 'pending',
    endedHoursAgo: 26,
  },
]
