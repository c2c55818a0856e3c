import { createEffect, createRoot } from 'solid-js'
import type { Native, Shell } from '../contract.ts'
import type { Texts } from '../texts/en.ts'
import { fill } from '../texts/texts.ts'
import { ignore } from '../visitor/visitor-session.ts'
import type { WidgetClient } from '../visitor/widget-client.ts'

const NOTES = [
  { hertz: 660, atS: 0 },
  { hertz: 880, atS: 0.12 },
]
const NOTE_S = 0.35
const VOLUME = 0.08
/** For this long, no other tab plays the same sound. */
const SOUND_MS = 1_000

/** A sound and the page's title say that an agent has answered, unless the visitor sees it or has turned it off. Returns how to stop. */
export function watchNotices(client: WidgetClient, texts: () => Texts, { frame, native }: Shell): () => void {
  let audio: AudioContext | undefined
  let title: { shown: string; before: string } | undefined

  /** Browsers allow sound after a click or a key; some of them only to what was there before it. */
  function allowSound(): void {
    void audio?.resume()
  }

  async function play(): Promise<void> {
    const since = Date.now()
    // Not with the first key: it holds the page up until the computer's sound is ready.
    audio ??= new AudioContext()
    await audio.resume()
    // Sound is only allowed now, when the notice is already old.
    if (Date.now() - since > SOUND_MS) return
    for (const { hertz, atS } of NOTES) {
      const [oscillator, gain] = [audio.createOscillator(), audio.createGain()]
      const start = audio.currentTime + atS
      oscillator.frequency.value = hertz
      gain.gain.setValueAtTime(VOLUME, start)
      gain.gain.exponentialRampToValueAtTime(0.0001, start + NOTE_S)
      oscillator.connect(gain).connect(audio.destination)
      oscillator.start(start)
      oscillator.stop(start + NOTE_S)
    }
  }

  /** The page may have changed its title since. */
  function restoreTitle(): void {
    if (title && document.title === title.shown) document.title = title.before
    title = undefined
  }

  client.onMessage(() => {
    const isSeen = client.isOpen() && !document.hidden && document.hasFocus()
    if (isSeen || client.isMuted() || !client.settings().sound) return
    void ignore(playOnce(play, native))
    const before = title?.before ?? document.title
    document.title = fill(texts().newTitle, { count: Math.max(client.unread(), 1) })
    title = { shown: document.title, before }
  })
  const stopEffect = createRoot((dispose) => {
    createEffect(() => client.unread() === 0 && restoreTitle())
    return dispose
  })
  frame.addEventListener('pointerdown', allowSound)
  frame.addEventListener('keydown', allowSound)
  return () => {
    stopEffect()
    frame.removeEventListener('pointerdown', allowSound)
    frame.removeEventListener('keydown', allowSound)
    restoreTitle()
    void audio?.close()
  }
}

/** In one tab. */
async function playOnce(play: () => Promise<void>, native: Native): Promise<void> {
  if (!navigator.locks) return play()
  await navigator.locks.request('bellhop:sound', { ifAvailable: true }, async (lock) => {
    if (!lock) return
    void ignore(play())
    await new (native('Promise'))((resolve) => setTimeout(resolve, SOUND_MS))
  })
}
