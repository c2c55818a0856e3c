import { createSignal } from 'solid-js'
import { readStored, store } from './local-storage.ts'

const KEY = 'bellhop.notifications'

const [isOn, setOn] = createSignal(readStored(KEY, (value) => typeof value === 'boolean', false))

export function canNotify(): boolean {
  return 'Notification' in window
}

/** Switched on here, and allowed by the browser. */
export function areNotificationsOn(): boolean {
  return isOn() && canNotify() && Notification.permission === 'granted'
}

/** Call it after a click: the browser asks for permission here. */
export async function switchNotifications(on: boolean): Promise<void> {
  const isAllowed = on && (await Notification.requestPermission()) === 'granted'
  setOn(isAllowed)
  store(KEY, isAllowed)
}
