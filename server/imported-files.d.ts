// `import … with { type: 'text' }` is the text of a file, and `with { type: 'file' }` its path.
declare module '*/docs.css' {
  const text: string
  export default text
}
declare module '*/try.js' {
  const text: string
  export default text
}
declare module '*/docs.js' {
  const text: string
  export default text
}
declare module '*/tokens.css' {
  const text: string
  export default text
}
declare module '*.yml' {
  const text: string
  export default text
}
declare module '*.md' {
  const text: string
  export default text
}
declare module '*.sql' {
  const text: string
  export default text
}
declare module '*.pdf' {
  const path: string
  export default path
}
declare module '*.png' {
  const path: string
  export default path
}
declare module '*.wav' {
  const path: string
  export default path
}
declare module '*.txt' {
  const path: string
  export default path
}
