import { agent, customer, note, type Story } from './story.ts'

export const PEOPLE_STORIES: Story[] = [
  {
    subjects: ['Cannot sign in', 'Password reset mail does not arrive', 'Locked out'],
    tags: ['account'],
    channels: ['widget', 'email', 'telegram'],
    turns: [
      customer(
        'I asked for a new password three times and no mail comes. Spam folder is empty too.',
        'cant login anymore, help 😩',
      ),
      agent(
        'Hi {first}, the mails were refused by your provider as the mailbox is full. Could you make some room and try again? I unblocked the address.',
      ),
      customer('Oh no, how embarrassing. Works now!', 'yes!! thx'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Add a colleague to our account', 'Second user'],
    tags: ['account'],
    turns: [
      customer('How can my colleague in the warehouse print labels without seeing the invoices?'),
      agent(
        'Hi {first}: Settings › Team › Invite, and choose the role "Warehouse". It sees orders and labels, no prices.',
      ),
      customer('Exactly what we need.'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Thank you!', 'Just wanted to say thanks', 'Great support'],
    tags: ['praise'],
    turns: [
      customer(
        'No problem today, just: your support is the best I know. Say hello to {agent}!',
        'Mei found my lost parcel in ONE HOUR. I am speechless ❤️❤️❤️',
      ),
      agent('That made our day, {first}! Thank you. 😊'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Delete my data (GDPR)', 'Right to erasure'],
    tags: ['privacy'],
    channels: ['email'],
    turns: [
      customer(
        'According to Art. 17 GDPR I ask you to delete all personal data about me and to confirm this within one month.\n\n{name}\n{city}',
      ),
      note('Invoices must be kept ten years; everything else can go. Checked with legal.'),
      agent(
        'Dear {first}, we have started the deletion. Invoices have to be kept by law; everything else is gone within 14 days, and we will confirm it here.',
      ),
    ],
    end: 'pending',
  },
  {
    subjects: ['Sendung nach Österreich', 'Etikett falsch gedruckt', 'Frage zur Rechnung'],
    tags: ['german'],
    from: ['hannah.schmidt', 'l.hoffmann', 'jgross', 'kaethe', 'matthias'],
    turns: [
      customer(
        'Guten Tag, kann ich mit Ihrem Tarif auch nach Österreich versenden? Im Formular steht nur Deutschland.\n\nMit freundlichen Grüßen\n{name}',
        'Hallo, die Rechnung vom letzten Monat weist 19 % statt 0 % aus, obwohl wir eine USt-IdNr. haben. Könnten Sie das prüfen?',
      ),
      agent(
        'Guten Tag {first}, ja, gern: das schalte ich Ihnen gleich frei. In etwa zehn Minuten steht Ihnen die Auswahl offen.',
        'Hallo {first}, Sie haben recht, das war unser Fehler. Die korrigierte Rechnung liegt jetzt unter „Abrechnung“.',
      ),
      customer('Vielen Dank, das ging ja schnell!'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Colis perdu', 'Remboursement de {order}'],
    tags: ['french', 'claims'],
    from: ['f.lefevre', 'chloe.dubois', 'amelie', 'noemie', 'etienne'],
    turns: [
      customer(
        'Bonjour, mon client à {city} n’a jamais reçu le colis {order}. Le suivi indique « livré ». Que puis-je faire ?',
      ),
      agent(
        'Bonjour {first}, j’ai ouvert une enquête auprès de {carrier}. Nous aurons une réponse d’ici trois jours ouvrés.',
      ),
      customer('Merci beaucoup pour votre aide.'),
      agent('Le colis a été retrouvé chez un voisin. Je clôture l’enquête, bonne journée !'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['¿Envíos a Canarias?', 'Problema con la etiqueta'],
    tags: ['spanish'],
    from: ['ana.fernandez', 'jmnunez', 'carlos.ortega', 'lucia', 'valentina', 'mateo'],
    turns: [
      customer('Hola, ¿se puede enviar a Canarias con aduana incluida? No encuentro la opción.'),
      agent(
        'Hola {first}, sí: elige «Canarias (DUA)» como destino y la declaración se genera sola. ¡Un saludo!',
      ),
      customer('¡Genial, gracias!'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['荷物が届きません', '追跡番号について'],
    tags: ['tracking'],
    from: ['ken.sato', 'misaki.suzuki'],
    channels: ['email', 'widget'],
    turns: [
      customer('注文番号 {order} の荷物がまだ届きません。追跡番号は {tracking} です。確認をお願いします。'),
      agent(
        'Hello {first}, thank you for your message. The parcel is at customs in {city} and should move on within two days.',
      ),
      customer('ありがとうございます。待ちます。'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['أين الشحنة؟', 'مشكلة في الطلب {order}'],
    tags: ['tracking'],
    from: ['layla.haddad', 'm.alali'],
    channels: ['telegram', 'widget', 'email'],
    turns: [
      customer('مرحباً، لم تصل الشحنة {order} حتى الآن. رقم التتبع هو {tracking}. هل يمكنكم المساعدة؟'),
      agent('Hello {first}, the parcel is in {city} and out for delivery tomorrow. مع أطيب التحيات'),
      customer('شكراً جزيلاً 🌹'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['WIN A NEW PHONE!!!', 'Re: your SEO ranking', 'Bitcoin investment, 300 % safe'],
    tags: ['spam'],
    channels: ['email', 'widget'],
    turns: [
      customer(
        'Dear Sir/Madam, we have looked at your website and can bring you to PAGE ONE of all search engines. Click http://cheap-seo.example now!!!',
        'Congratulation! You are choosen. Send your bank number to claim the phone.',
      ),
    ],
    end: 'open',
  },
]
