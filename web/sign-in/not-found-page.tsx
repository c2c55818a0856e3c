import { Frame } from './frame.tsx'

/** Shown for an unknown path. The server returns it with status 404. */
export default function NotFoundPage() {
  return (
    <Frame title="Page not found" text="The URL is wrong, or the page was removed.">
      <a href="/inbox">Go to inbox</a>
    </Frame>
  )
}
