import { agent, customer, note, type Story } from './story.ts'

export const GENERAL_STORIES: Story[] = [
  {
    subjects: ["Can't sign in", "Password reset email doesn't arrive", 'Locked out'],
    tags: ['account'],
    channels: ['widget', 'email', 'telegram'],
    turns: [
      customer(
        "I've requested a new password three times, but no email arrives. It's not in my spam folder either.",
        'cant login anymore, help 😩',
      ),
      agent(
        "Hi {first},\n\nYour provider rejected our emails because your mailbox is full. Could you free up some space and try again? I've unblocked your address.",
      ),
      customer('Oh no, how embarrassing. It works now!', 'yes!! thx'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['Add a colleague to our account', 'Second user'],
    tags: ['account'],
    turns: [
      customer('How can my colleague in the warehouse print labels without seeing the invoices?'),
      agent(
        'Hi {first},\n\nGo to Settings › Team › Invite and choose the “Warehouse” role. It can see orders and labels, but no prices.',
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
        "No problem today. I just wanted to say that your support is the best I've ever had. Say hello to {agent}!",
        "Mei found my lost parcel in ONE HOUR. I'm speechless ❤️❤️❤️",
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
        'Under Art. 17 GDPR, I request that you delete all my personal data and confirm this within one month.\n\n{name}\n{city}',
      ),
      note('We have to keep invoices for ten years. Everything else can go. Checked with legal.'),
      agent(
        "Dear {first},\n\nWe've started deleting your data. We're required by law to keep invoices. Everything else will be gone within 14 days, and we'll confirm that here.",
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
        'Guten Tag {first},\n\nja, das geht. Ich schalte Österreich gleich für Sie frei. In etwa zehn Minuten können Sie es im Formular auswählen.',
        'Hallo {first},\n\nSie haben recht, das war unser Fehler. Die korrigierte Rechnung finden Sie jetzt unter „Abrechnung“.',
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
        'Bonjour {first},\n\nJ’ai ouvert une enquête auprès de {carrier}. Nous aurons une réponse d’ici trois jours ouvrés.',
      ),
      customer('Merci beaucoup pour votre aide.'),
      agent('Le colis a été retrouvé chez un voisin. Je clôture l’enquête. Bonne journée !'),
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
        'Hello {first},\n\nThank you for your message. The parcel is at customs in {city} and should be released within two days.',
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
      agent('Hello {first},\n\nThe parcel is in {city} and will be delivered tomorrow.\n\nمع أطيب التحيات'),
      customer('شكراً جزيلاً 🌹'),
    ],
    end: 'resolved',
  },
  {
    subjects: ['WIN A NEW PHONE!!!', 'Re: your SEO ranking', 'Bitcoin investment, 300% safe'],
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
