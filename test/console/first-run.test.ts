import { expect, test } from 'bun:test'
import { organizations } from '../../server/database/tables/organizations.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { newBrowserSession } from '../support/browser-session.ts'

const FIRST = {
  organization: 'Acme',
  name: 'Ana Pires',
  email: 'ana@acme.example',
  password: 'correct horse battery',
}

async function inEmptyBellhop(story: (bellhop: Bellhop) => Promise<void>): Promise<void> {
  const bellhop = await startBellhop()
  await story(bellhop)
  await bellhop.stop()
}

function open(bellhop: Bellhop, more: object = {}, browser = newBrowserSession(bellhop)) {
  const body = { token: bellhop.firstRunToken, ...FIRST, ...more }
  return browser.call('POST', '/console/first-run', { body })
}

function organizationsOf({ deps }: Bellhop) {
  return deps.database.read.select({ name: organizations.name }).from(organizations)
}

test('the setup link creates an organization and its administrator', () =>
  inEmptyBellhop(async (bellhop) => {
    const ana = newBrowserSession(bellhop)
    expect((await ana.call('GET', '/console/first-run')).json).toEqual({ isOpen: true })
    const made = await open(bellhop, {}, ana)
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      agent: { name: 'Ana Pires', email: 'ana@acme.example', role: 'admin' },
      organization: { name: 'Acme' },
    })
    expect((await ana.call('GET', '/console/keys')).status).toBe(200)
    expect((await ana.call('GET', '/console/first-run')).json).toEqual({ isOpen: false })
    expect((await newBrowserSession(bellhop).signIn(FIRST.email)).status).toBe(201)
    // The same link again.
    expect((await open(bellhop)).json).toMatchObject({ status: 409, code: 'already_set_up' })
    expect(await organizationsOf(bellhop)).toEqual([{ name: 'Acme' }])
  }))

test('without the token of the link, no administrator is created', () =>
  inEmptyBellhop(async (bellhop) => {
    for (const token of ['', 'guess', bellhop.firstRunToken.slice(1), `${bellhop.firstRunToken}=`]) {
      expect((await open(bellhop, { token })).json).toMatchObject({ status: 403, code: 'wrong_link' })
    }
    expect(await organizationsOf(bellhop)).toEqual([])
  }))

test('the page can check whether the link works before anyone fills in the form', () =>
  inEmptyBellhop(async (bellhop) => {
    const check = (token: string) =>
      newBrowserSession(bellhop).call('POST', '/console/first-run/check', { body: { token } })
    expect((await check('guess')).json).toMatchObject({ status: 403, code: 'wrong_link' })
    expect((await check(bellhop.firstRunToken)).status).toBe(204)
    await open(bellhop)
    expect((await check(bellhop.firstRunToken)).json).toMatchObject({ status: 409, code: 'already_set_up' })
  }))

test('if two people use the link at the same time, only one succeeds', () =>
  inEmptyBellhop(async (bellhop) => {
    const answers = await Promise.all([
      open(bellhop, { organization: 'One' }),
      open(bellhop, { organization: 'Two' }),
      open(bellhop, { organization: 'Three' }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect(await organizationsOf(bellhop)).toHaveLength(1)
  }))

test("the link doesn't work on a server with an organization", () =>
  inEmptyBellhop(async (bellhop) => {
    await bellhop.organization()
    expect((await newBrowserSession(bellhop).call('GET', '/console/first-run')).json).toEqual({
      isOpen: false,
    })
    expect((await open(bellhop)).json).toMatchObject({ status: 409, code: 'already_set_up' })
  }))
