/** Files that are part of the program as text: `import … with { type: 'text' }`. */
declare module '*.sql' {
  const text: string
  export default text
}
