import { afterAll, expect } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startBellhop } from '../support/bellhop.ts'
import { temporaryFolder } from '../support/folder.ts'
import { testWith } from './runtimes.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

const GENERATOR = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
/** Fetching the generator and building it for the first time. */
const MAX_BUILD_MS = 300_000
const MAX_TRIES = 3
/** Unoptimized: on a machine that never built anything, half of the time goes into what this leaves out. */
const BUILD_FLAGS = ['-gcflags=all=-N -l', '-ldflags=-w']

const PROGRAM = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"example.com/client/bellhop"
)

func main() {
	key := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))
		return nil
	}
	client, err := bellhop.NewClientWithResponses(os.Getenv("URL"), bellhop.WithRequestEditorFn(key))
	if err != nil {
		panic(err)
	}
	created, err := client.CreateTicketWithResponse(context.Background(), nil, bellhop.NewTicket{
		Subject:  "From Go",
		Customer: bellhop.NewCustomer{Email: "ana@example.com"},
		Message:  "Hello",
	})
	if err != nil {
		panic(err)
	}
	read, err := client.ReadTicketWithResponse(context.Background(), created.JSON201.Id, nil)
	if err != nil {
		panic(err)
	}
	status := bellhop.TicketStatus("pending")
	listed, err := client.ListTicketsWithResponse(context.Background(), &bellhop.ListTicketsParams{Status: &status})
	if err != nil {
		panic(err)
	}
	missing, err := client.ReadTicketWithResponse(context.Background(), "tkt_1", nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(read.JSON200.Subject, read.JSON200.Status, read.JSON200.Messages[0].Text)
	fmt.Println(listed.JSON200.Meta.Total, missing.ApplicationproblemJSON404.Code)
}
`

testWith(
  ['go'],
  'a Go client that is generated from the API description with default settings compiles and calls the API',
  async () => {
    const { key } = await bellhop.organization()
    const folder = temporaryFolder('go-client')
    mkdirSync(join(folder, 'bellhop'))
    const document = await fetch(`${bellhop.url}/v1/openapi.json`)
    writeFileSync(join(folder, 'openapi.json'), await document.text())
    writeFileSync(join(folder, 'main.go'), PROGRAM)
    writeFileSync(join(folder, 'go.mod'), 'module example.com/client\n\ngo 1.25.0\n')
    const generated = await generate(folder)
    if (generated === undefined) return
    writeFileSync(join(folder, 'bellhop/bellhop.go'), generated)
    await go(folder, ['mod', 'tidy'])
    await go(folder, ['build', ...BUILD_FLAGS, '-o', 'client', '.'])
    const said = await run(folder, [join(folder, 'client')], { URL: `${bellhop.url}/v1`, KEY: key })
    expect(said).toBe('From Go open Hello\n0 not_found\n')
  },
  MAX_BUILD_MS,
)

/** Undefined where Go is too old for the generator, or can't fetch it; CI can. */
async function generate(folder: string): Promise<string | undefined> {
  try {
    return await go(folder, ['run', ...BUILD_FLAGS, GENERATOR, '-package', 'bellhop', 'openapi.json'])
  } catch (error) {
    // The generator needs a newer Go than Debian's: such a one says so about the file of the module.
    const isOld = /invalid go version|requires go >=|note: module requires Go/.test(String(error))
    const isOffline = !process.env.CI && /dial tcp|no such host|timeout/.test(String(error))
    if (!isOld && !isOffline) throw error
    console.warn(`Not tested: the generator of Go clients doesn't run here. ${error}`)
    return undefined
  }
}

/** What the network does is not what is tested: a module that could not be fetched is asked for again. */
async function go(folder: string, words: string[]): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run(folder, ['go', ...words], { CGO_ENABLED: '0' })
    } catch (error) {
      const isOfNetwork = /connection re|i\/o timeout|TLS handshake|unexpected EOF|5\d\d [A-Z]/.test(
        String(error),
      )
      if (!isOfNetwork || tries === MAX_TRIES) throw error
    }
  }
}

async function run(cwd: string, command: string[], settings: Record<string, string>): Promise<string> {
  const env = { ...process.env, ...settings }
  const child = Bun.spawn(command, { cwd, env, stdout: 'pipe', stderr: 'pipe' })
  const [out, problem] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${problem}`)
  return out
}
