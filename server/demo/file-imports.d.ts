/** Files of the demo's messages: `import … with { type: 'file' }`. */
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
