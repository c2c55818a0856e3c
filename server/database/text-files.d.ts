/** Files imported as text: `import … with { type: 'text' }`. */
declare module '*.sql' {
  const text: string
  export default text
}
