import type { Texts } from './en.ts'

const LANGUAGES: Record<string, () => Promise<Texts>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  fr: async () => (await import('./fr.ts')).fr,
  es: async () => (await import('./es.ts')).es,
  pt: async () => (await import('./pt.ts')).pt,
}

/** The one of the settings; for `auto` that of the page, then those of the browser. */
export function chooseLanguage(setting: string): string {
  const wanted = [setting, document.documentElement.lang, ...navigator.languages]
  const languages = wanted.map((one) => one.toLowerCase().split('-')[0] ?? '')
  return languages.find((language) => language in LANGUAGES) ?? 'en'
}

/** Each language is a file of its own, so that visitors load one. */
export async function loadTexts(language: string): Promise<Texts> {
  const load = LANGUAGES[language]
  if (!load) throw new Error(`There are no texts in ${language}.`)
  return load()
}

/** Fills in `{name}`. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''))
}
