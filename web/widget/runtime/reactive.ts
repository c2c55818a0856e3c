// What the widget uses of `solid-js`, with the same meaning and a third of its size: no context, stores, transitions,
// suspense, or hydration. The build puts it in Solid's place; the types of the widget are Solid's own.

type Cleanup = () => void

const CLEAN = 0
/** Something that it depends on may have changed. */
const DOUBTFUL = 1
const STALE = 2
const DISPOSED = 3

/** A signal, a memo, an effect, or a root. What was created while it ran is disposed of with it. */
interface Computation {
  owner: Computation | undefined
  owned: Computation[]
  cleanups: Cleanup[]
  state: number
  isRunning: boolean
  sources: Set<Computation>
  observers: Set<Computation>
  /** Where an effect waits for its turn. */
  queue: Computation[] | undefined
  run(): void
}

let owner: Computation | undefined
let listener: Computation | undefined
let depth = 0
/** Effects of the page are drawn before others look at it. */
const drawing: Computation[] = []
const looking: Computation[] = []

export function createSignal(initial?: unknown) {
  let value = initial
  const signal = newComputation(undefined, () => {})
  const read = () => {
    track(signal)
    return value
  }
  const write = (given?: unknown) => {
    const next = typeof given === 'function' ? given(value) : given
    if (next !== value) {
      value = next
      update(() => markObservers(signal))
    }
    return value
  }
  return [read, write] as const
}

export function createMemo<Value>(
  compute: (before: Value | undefined) => Value,
  before?: Value,
  { equals = Object.is }: { equals?: (one: unknown, other: unknown) => boolean } = {},
): () => Value | undefined {
  let value = before
  const memo = newComputation(undefined, () => {
    const next = compute(value)
    if (equals(value, next)) return
    value = next
    markObservers(memo)
  })
  start(memo)
  return () => {
    refresh(memo)
    track(memo)
    return value
  }
}

/** Runs at once, and again after changes. */
export function createRenderEffect<Value>(run: (before: Value | undefined) => Value, before?: Value): void {
  let value = before
  const effect = newComputation(drawing, () => {
    value = run(value)
  })
  start(effect)
}

/** Runs when the page is drawn, and after changes. */
export function createEffect(run: () => unknown): void {
  const effect = newComputation(looking, run)
  own(effect)
  update(() => mark(effect, STALE))
}

export function onMount(run: () => unknown): void {
  createEffect(() => untrack(run))
}

export function onCleanup(run: Cleanup): void {
  owner?.cleanups.push(run)
}

export function createRoot<Value>(run: (dispose: Cleanup) => Value): Value {
  const root = newComputation(undefined, () => {})
  return update(() => within(root, undefined, () => run(() => dispose(root))))
}

export function untrack<Value>(run: () => Value): Value {
  return within(owner, undefined, run)
}

export function createComponent<Props>(component: (props: Props) => unknown, props: Props): unknown {
  return untrack(() => component(props))
}

export function Show(props: { when: unknown; children: unknown; fallback?: unknown }) {
  const value = createMemo(() => props.when)
  const isShown = createMemo(() => !!value())
  return createMemo(() => {
    if (!isShown()) return props.fallback
    const { children } = props
    return typeof children === 'function' && children.length > 0 ? untrack(() => children(value)) : children
  })
}

export function For<Item>(props: {
  each: readonly Item[]
  children: (item: Item, index: () => unknown) => unknown
}) {
  interface Row {
    drawn: unknown
    setIndex: (index: number) => unknown
    remove: Cleanup
  }
  const rows = new Map<Item, Row>()
  onCleanup(() => {
    for (const { remove } of rows.values()) remove()
  })
  function draw(item: Item, at: number): Row {
    return createRoot((remove) => {
      const [index, setIndex] = createSignal(at)
      return { drawn: props.children(item, index), setIndex, remove }
    })
  }
  return createMemo(() => {
    const items = props.each
    return untrack(() => {
      for (const [item, { remove }] of rows) {
        if (items.includes(item)) continue
        rows.delete(item)
        remove()
      }
      return items.map((item, index) => {
        const row = rows.get(item) ?? draw(item, index)
        rows.set(item, row)
        row.setIndex(index)
        return row.drawn
      })
    })
  })
}

function newComputation(queue: Computation[] | undefined, run: () => unknown): Computation {
  return {
    owner,
    owned: [],
    cleanups: [],
    state: CLEAN,
    isRunning: false,
    sources: new Set(),
    observers: new Set(),
    queue,
    run,
  }
}

/** What the first run changes is seen after it, by itself too. */
function start(computation: Computation): void {
  own(computation)
  update(() => execute(computation))
}

function own(computation: Computation): void {
  owner?.owned.push(computation)
}

function track(source: Computation): void {
  if (!listener) return
  source.observers.add(listener)
  listener.sources.add(source)
}

function markObservers({ observers }: Computation): void {
  for (const observer of observers) mark(observer, STALE)
}

function mark(computation: Computation, state: number): void {
  const { state: before, queue, observers } = computation
  if (before >= state) return
  computation.state = state
  if (before !== CLEAN) return
  queue?.push(computation)
  for (const observer of observers) mark(observer, DOUBTFUL)
}

/** Brings a computation up to date, after those that it was created in: they may dispose of it. */
function refresh(computation: Computation): void {
  if (computation.owner) refresh(computation.owner)
  settle(computation)
}

function settle(computation: Computation): void {
  if (computation.isRunning) return
  // A source may have been created inside, and asks for this one first.
  computation.isRunning = true
  for (const source of computation.sources) {
    if (computation.state !== DOUBTFUL) break
    refresh(source)
  }
  computation.isRunning = false
  if (computation.state === STALE) execute(computation)
  else if (computation.state === DOUBTFUL) computation.state = CLEAN
}

function execute(computation: Computation): void {
  dispose(computation)
  computation.state = CLEAN
  computation.isRunning = true
  try {
    within(computation, computation, () => computation.run())
  } finally {
    computation.isRunning = false
  }
}

function dispose(computation: Computation): void {
  const { owned, cleanups, sources } = computation
  for (const child of owned.splice(0)) {
    child.state = DISPOSED
    dispose(child)
  }
  for (const cleanup of cleanups.splice(0)) cleanup()
  for (const source of sources) source.observers.delete(computation)
  sources.clear()
}

function within<Value>(
  by: Computation | undefined,
  reader: Computation | undefined,
  run: () => Value,
): Value {
  const before = [owner, listener] as const
  owner = by
  listener = reader
  try {
    return run()
  } finally {
    ;[owner, listener] = before
  }
}

/** What changes together is drawn once, at the end. */
function update<Value>(run: () => Value): Value {
  depth += 1
  try {
    return run()
  } finally {
    if (depth === 1) flush()
    depth -= 1
  }
}

function flush(): void {
  for (let next = drawing.shift() ?? looking.shift(); next; next = drawing.shift() ?? looking.shift()) {
    try {
      refresh(next)
    } catch (error) {
      reportError(error)
    }
  }
}
