import type { NewWidget } from '../channels/widget/widgets/widget-rows.ts'

const SITE = 'https://www.parcelbird.example'

export const WIDGET: NewWidget = {
  name: 'Parcelbird website',
  origins: [SITE],
  questions: {
    name: 'optional',
    email: 'optional',
    fields: [{ key: 'shop', label: 'Your shop', isRequired: false }],
  },
}

/** Where signed-in customers were last, and with what. */
export const WIDGET_PAGES = [
  {
    pageUrl: `${SITE}/app/labels`,
    pageTitle: 'Labels · Parcelbird',
    browser: 'Chrome on Windows',
    language: 'en-GB',
    timeZone: 'Europe/London',
    address: '192.0.2.41',
  },
  {
    pageUrl: `${SITE}/app/returns`,
    pageTitle: 'Returns · Parcelbird',
    browser: 'Safari on Mac',
    language: 'de-DE',
    timeZone: 'Europe/Berlin',
    address: '198.51.100.23',
  },
  {
    pageUrl: `${SITE}/app/billing`,
    pageTitle: 'Billing · Parcelbird',
    browser: 'Firefox on Linux',
    language: 'fr-FR',
    timeZone: 'Europe/Paris',
    address: '203.0.113.86',
  },
]

/** Conversations of visitors who have not signed in. */
export const WIDGET_CHATS = [
  {
    subject: 'Do you ship to Norway?',
    minutesAgo: 14,
    text: 'Hi! Do you ship to Norway? We sell ceramics, about 40 parcels a week.',
    answer:
      'Hello Ingrid, we do: with **Posten** and **PostNord**. The customs forms are filled in for you. Shall I send you the price list?',
    visitor: {
      typedName: 'Ingrid',
      typedEmail: 'ingrid@fjord-keramikk.example',
      fields: { shop: 'Fjord Keramikk' },
      pageUrl: `${SITE}/pricing`,
      pageTitle: 'Pricing · Parcelbird',
      browser: 'Safari on iPhone',
      language: 'nb-NO',
      timeZone: 'Europe/Oslo',
      address: '192.0.2.148',
    },
  },
  {
    subject: 'Is there a free trial?',
    minutesAgo: 3,
    text: 'Is there a free trial? I would like to test the labels with our printer first.',
    answer: undefined,
    visitor: {
      pageUrl: `${SITE}/`,
      pageTitle: 'Parcelbird: shipping for small shops',
      browser: 'Edge on Windows',
      language: 'es-ES',
      timeZone: 'Europe/Madrid',
      address: '203.0.113.12',
    },
  },
]
