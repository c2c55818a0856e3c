/** Files that the documentation serves as text: `import … with { type: 'text' }`. */
declare module '*/docs.css' {
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
