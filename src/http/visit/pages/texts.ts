import type {PageLanguage} from '../../../values/language.ts';

/** The texts of the built-in pages. They are put into HTML without escaping. */
const en = {
  password: {
    title: 'This link is protected by a password',
    hint: 'If you don’t have it, ask the person who sent you the link.',
    label: 'Password',
    /** Put before the title of the document, so that a screen reader reads the error first. */
    wrongTitle: 'Wrong password',
    wrong: 'That password isn’t right. Check it and try again.',
  },
  /** The page of a link that asks before it opens. */
  confirm: {
    title: 'Open this link?',
    /** @param host as HTML */
    leadsTo: (host: string): string => `It leads to ${host}.`,
    why: 'We ask because mail filters and chat programs open links before people do.',
  },
  gone: {
    title: 'This link no longer works',
    text: 'It has expired or was turned off. Ask the person who sent it to you for a new one.',
  },
  /** The page that says where a link leads, or does not say it. */
  preview: {
    title: 'A short link',
    /** The title if the destination is shown. */
    leadsTo: 'Where this link leads',
    /** If it is not shown. */
    text: 'Open it in your browser to go to its destination.',
    created: (day: string) => `Created on ${day}`,
  },
  openLink: 'Open link',
  report: 'Report this link',
  tooManyTries: {
    title: 'Too many attempts',
    /** @param wait such as `in 15 minutes`, in the same language */
    text: (wait: string) => `You can enter the password again ${wait}.`,
  },
  unavailable: {
    title: 'This link can’t be opened right now',
    text: 'The problem is on our side and should be fixed soon. Please try again in a moment.',
  },
  tryAgain: 'Try again',
};

export const texts: Readonly<Record<PageLanguage, typeof en>> = {
  en,
  'zh-Hans': {
    password: {
      title: '此链接需要密码',
      hint: '如果你没有密码，请向发送链接的人索取。',
      label: '密码',
      wrongTitle: '密码错误',
      wrong: '密码不正确，请检查后重试。',
    },
    confirm: {
      title: '打开此链接？',
      leadsTo: (host) => `它将带您前往 ${host}。`,
      why: '之所以询问，是因为邮件过滤器和聊天程序会抢先打开链接。',
    },
    gone: {
      title: '此链接已失效',
      text: '链接已过期或已停用。请向发送链接的人索取新链接。',
    },
    preview: {
      title: '短链接',
      leadsTo: '此链接的目标网址',
      text: '请在浏览器中打开此链接，前往目标页面。',
      created: (day) => `创建于 ${day}`,
    },
    openLink: '打开链接',
    report: '举报此链接',
    tooManyTries: {
      title: '尝试次数过多',
      text: (wait) => `请在${wait}重新输入密码。`,
    },
    unavailable: {
      title: '暂时无法打开此链接',
      text: '问题出在我们这边，应该很快就会恢复。请稍后再试。',
    },
    tryAgain: '重试',
  },
  'zh-Hant': {
    password: {
      title: '此連結需要密碼',
      hint: '如果你沒有密碼，請向傳送連結的人索取。',
      label: '密碼',
      wrongTitle: '密碼錯誤',
      wrong: '密碼不正確，請檢查後再試一次。',
    },
    confirm: {
      title: '要開啟此連結嗎？',
      leadsTo: (host) => `它將帶您前往 ${host}。`,
      why: '之所以詢問，是因為郵件過濾器和聊天程式會搶先開啟連結。',
    },
    gone: {
      title: '此連結已失效',
      text: '連結已過期或已停用。請向傳送連結的人索取新連結。',
    },
    preview: {
      title: '短連結',
      leadsTo: '此連結的目標網址',
      text: '請在瀏覽器中開啟此連結，前往目標頁面。',
      created: (day) => `建立於 ${day}`,
    },
    openLink: '開啟連結',
    report: '檢舉此連結',
    tooManyTries: {
      title: '嘗試次數過多',
      text: (wait) => `請在 ${wait}重新輸入密碼。`,
    },
    unavailable: {
      title: '目前無法開啟此連結',
      text: '問題出在我們這邊，應該很快就會恢復。請稍後再試。',
    },
    tryAgain: '再試一次',
  },
  es: {
    password: {
      title: 'Este enlace está protegido con contraseña',
      hint: 'Si no la tienes, pídesela a quien te envió el enlace.',
      label: 'Contraseña',
      wrongTitle: 'Contraseña incorrecta',
      wrong: 'La contraseña no es correcta. Revísala e inténtalo de nuevo.',
    },
    confirm: {
      title: '¿Abrir este enlace?',
      leadsTo: (host) => `Lleva a ${host}.`,
      why: 'Preguntamos porque los filtros de correo y las aplicaciones de chat abren los enlaces antes que las personas.',
    },
    gone: {
      title: 'Este enlace ya no funciona',
      text: 'Ha caducado o se ha desactivado. Pide uno nuevo a quien te lo envió.',
    },
    preview: {
      title: 'Enlace corto',
      leadsTo: 'Adónde lleva este enlace',
      text: 'Ábrelo en tu navegador para ir a su destino.',
      created: (day) => `Creado el ${day}`,
    },
    openLink: 'Abrir enlace',
    report: 'Denunciar este enlace',
    tooManyTries: {
      title: 'Demasiados intentos',
      text: (wait) => `Podrás volver a introducir la contraseña ${wait}.`,
    },
    unavailable: {
      title: 'No se puede abrir este enlace ahora mismo',
      text: 'El problema es nuestro y debería resolverse pronto. Inténtalo de nuevo en un momento.',
    },
    tryAgain: 'Intentar de nuevo',
  },
  fr: {
    password: {
      title: 'Ce lien est protégé par un mot de passe',
      hint: 'Si vous ne l’avez pas, demandez-le à la personne qui vous a envoyé le lien.',
      label: 'Mot de passe',
      wrongTitle: 'Mot de passe incorrect',
      wrong: 'Ce mot de passe est incorrect. Vérifiez-le et réessayez.',
    },
    confirm: {
      title: 'Ouvrir ce lien ?',
      leadsTo: (host) => `Il mène à ${host}.`,
      why: 'Nous posons la question, car les filtres de messagerie et les applications de discussion ouvrent les liens avant vous.',
    },
    gone: {
      title: 'Ce lien ne fonctionne plus',
      text: 'Il a expiré ou a été désactivé. Demandez-en un nouveau à la personne qui vous l’a envoyé.',
    },
    preview: {
      title: 'Lien court',
      leadsTo: 'Où mène ce lien',
      text: 'Ouvrez-le dans votre navigateur pour accéder à sa destination.',
      created: (day) => `Créé le ${day}`,
    },
    openLink: 'Ouvrir le lien',
    report: 'Signaler ce lien',
    tooManyTries: {
      title: 'Trop de tentatives',
      text: (wait) => `Vous pourrez saisir de nouveau le mot de passe ${wait}.`,
    },
    unavailable: {
      title: 'Impossible d’ouvrir ce lien pour le moment',
      text: 'Le problème vient de chez nous et devrait être bientôt résolu. Veuillez réessayer dans un instant.',
    },
    tryAgain: 'Réessayer',
  },
  de: {
    password: {
      title: 'Dieser Link ist mit einem Passwort geschützt',
      hint: 'Wenn Sie es nicht haben, fragen Sie die Person, die Ihnen den Link geschickt hat.',
      label: 'Passwort',
      wrongTitle: 'Falsches Passwort',
      wrong: 'Das Passwort stimmt nicht. Bitte prüfen Sie es und versuchen Sie es noch einmal.',
    },
    confirm: {
      title: 'Diesen Link öffnen?',
      leadsTo: (host) => `Er führt zu ${host}.`,
      why: 'Wir fragen, weil E-Mail-Filter und Chat-Programme Links öffnen, bevor Menschen es tun.',
    },
    gone: {
      title: 'Dieser Link funktioniert nicht mehr',
      text: 'Er ist abgelaufen oder wurde deaktiviert. Bitten Sie die Person, die ihn Ihnen geschickt hat, um einen neuen.',
    },
    preview: {
      title: 'Kurzlink',
      leadsTo: 'Wohin dieser Link führt',
      text: 'Öffnen Sie ihn im Browser, um zu seinem Ziel zu gelangen.',
      created: (day) => `Erstellt am ${day}`,
    },
    openLink: 'Link öffnen',
    report: 'Diesen Link melden',
    tooManyTries: {
      title: 'Zu viele Versuche',
      text: (wait) => `Sie können das Passwort ${wait} erneut eingeben.`,
    },
    unavailable: {
      title: 'Dieser Link lässt sich gerade nicht öffnen',
      text: 'Das Problem liegt bei uns und sollte bald behoben sein. Bitte versuchen Sie es gleich noch einmal.',
    },
    tryAgain: 'Erneut versuchen',
  },
};
