import { Frame } from './frame.tsx'

/** Any other address. The server answers it with 404 and these pages. */
export default function NowherePage() {
  return (
    <Frame title="There is nothing here" text="The address may be mistyped, or what was here is gone.">
      <a href="/inbox">Go to the inbox</a>
    </Frame>
  )
}
