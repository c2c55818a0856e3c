import type { AgentRole } from '../database/tables/agents.ts'

export const ORGANIZATION = 'Parcelbird'

export const MAILBOX = { name: 'Parcelbird Support', address: 'support@parcelbird.example' }

/** The visitor signs in as the first one. */
export const AGENTS: { name: string; email: string; role: AgentRole }[] = [
  { name: 'Ana Pires', email: 'ana@parcelbird.example', role: 'admin' },
  { name: 'Ben Okafor', email: 'ben@parcelbird.example', role: 'agent' },
  { name: 'Mei Tanaka', email: 'mei@parcelbird.example', role: 'agent' },
  { name: 'Jonas Weber', email: 'jonas@parcelbird.example', role: 'agent' },
  { name: 'Leïla Haddad', email: 'leila@parcelbird.example', role: 'agent' },
  { name: 'Sofia Rossi', email: 'sofia@parcelbird.example', role: 'admin' },
]

/** Name and the part before the `@`. */
export const CUSTOMERS = `
Ana Lucía Fernández,ana.fernandez;Björk Guðmundsdóttir,bjork;Łukasz Wójcik,lukasz.wojcik;Žofie Dvořáková,zofie
Çağla Yıldız,cagla;Nguyễn Thị Mai,mai.nguyen;Seán Ó Conaill,sean;Zoë van der Meer,zoe;José María Núñez,jmnunez
François Lefèvre,f.lefevre;Chloé Dubois,chloe.dubois;Amélie Petit,amelie;Luca Bianchi,luca;Giulia Conti,giulia.conti
ليلى حداد,layla.haddad;محمد العلي,m.alali;יעל כהן,yael.cohen;佐藤 健,ken.sato;鈴木 美咲,misaki.suzuki;김민지,minji.kim
王芳,fang.wang;李伟,wei.li;Олена Шевченко,olena;Иван Петров,ivan.petrov;Γιώργος Παπαδόπουλος,giorgos;अनन्या शर्मा,ananya
Priya Nair,priya.nair;Rohan Mehta,rohan;Fatima Zahra El Amrani,fatima;Kwame Mensah,kwame;Chidi Obi,chidi;Amara Diallo,amara
Thabo Nkosi,thabo;Wanjiru Kamau,wanjiru;Hannah Schmidt,hannah.schmidt;Lukas Hoffmann,l.hoffmann;Jürgen Groß,jgross
Käthe Müller,kaethe;Matthias Brandstätter,matthias;Annika Lindqvist,annika;Søren Østergaard,soren;Kirsten Bjørnsdatter,kirsten
Eero Mäkinen,eero;Aino Virtanen,aino;Katarzyna Nowak,k.nowak;Piotr Zieliński,piotr;Eszter Szabó,eszter;Zoltán Nagy,zoltan
Ionuț Popescu,ionut;Andreea Stan,andreea;Mirela Kovačević,mirela;Marko Horvat,marko;Petra Novotná,petra.novotna
Inês Carvalho,ines;João Pedro Sousa,joao.sousa;Beatriz Almeida,beatriz;Carlos Ortega,carlos.ortega;Lucía Romero,lucia
Oliver Bennett,oliver.bennett;Charlotte Whitfield,charlotte;Grace O'Malley,grace;Hamish MacLeod,hamish;Rhys Evans,rhys
Maximiliana Featherstonehaugh-Cholmondeley,max.fc;Bo Li,bo;Cher,cher;Noah Jansen,noah;Emma de Vries,emma;Lotte Bakker,lotte
Tariq Aziz,tariq;Ayşe Demir,ayse;Mehmet Öztürk,mehmet;Siti Rahmah,siti;Nurul Huda,nurul;Putu Wirawan,putu;Somchai Srisai,somchai
Maria Santos,maria.santos;Diego Castillo,diego;Valentina Rojas,valentina;Mateo Quispe,mateo;Camila Vargas,camila
Ethan Brooks,ethan;Madison Clarke,madison;Tyler Johnson,tyler;Aaliyah Washington,aaliyah;DeShawn Carter,deshawn
Noémie Tremblay,noemie;Étienne Gagnon,etienne;Kiri Ngata,kiri;Jack Thompson,jack.thompson;Isla Morrison,isla
`
  .trim()
  .split(/[;\n]/)
  .map((line) => {
    const [name = '', address = ''] = line.split(',')
    return { name, address }
  })

export const SHOPS = [
  'kaffee-manufaktur',
  'little-acorn-toys',
  'nordic-yarn',
  'casa-verde',
  'vinylcave',
  'bergzeit-shop',
  'papeterie-lune',
  'teahouse-osaka',
  'oldtimer-parts',
  'bikeworks',
]
export const CITIES = [
  'Rotterdam',
  'Leipzig',
  'Lyon',
  'Kraków',
  'Porto',
  'Malmö',
  'Zürich',
  'Osaka',
  'Leeds',
  'Graz',
]
export const CARRIERS = ['DHL', 'GLS', 'DPD', 'UPS', 'PostNL', 'Colissimo']

/** Why replies by email did not arrive. */
export const EMAIL_FAULTS = {
  refused: [
    'mail.parcelbird.example refused it: 552 5.2.2 The recipient’s mailbox is full.',
    'mail.parcelbird.example did not respond within 60 seconds.',
  ],
  bounced: '550 5.1.1 User unknown',
}
export const TELEGRAM_FAULT = 'The customer blocked the bot in Telegram.'

export const SAVED_REPLIES = [
  {
    name: 'Ask for the order number',
    text: 'Hi {{customer.firstName}},\n\nThank you for writing. Could you tell me the order number? It starts with PB-.\n\n{{agent.name}}',
  },
  {
    name: 'Trace opened',
    text: "Hi {{customer.firstName}},\n\nI've opened a trace with the carrier. They have **48 hours** to respond, and I'll write as soon as I know more.\n\n{{agent.name}}\n{{organization.name}}",
  },
  {
    name: 'Refund sent',
    text: "Hi {{customer.firstName}},\n\nI've issued your refund today. Depending on your bank, it should arrive in **three to five days**.\n\n{{agent.name}}",
  },
  {
    name: 'Reset password',
    text: "Hi {{customer.firstName}},\n\nPlease open our [reset page](https://app.parcelbird.example/reset) and enter {{customer.email}}. We'll email you a link that works for one hour.\n\n{{agent.name}}",
  },
  {
    name: 'Closing, no response',
    text: "Hi {{customer.firstName}},\n\nI haven't heard back from you, so I'm closing this request ({{ticket.subject}}). Just reply to reopen it.\n\n{{agent.name}}",
  },
]

export const SAVED_VIEWS = [
  { name: 'VIP and onboarding', query: 'tag:vip', isShared: true },
  { name: 'API questions', query: 'tag:api -status:resolved', isShared: true },
  { name: 'Pending claims', query: 'status:pending tag:claims', isShared: false },
]
