declare module '*/docs.css' {
  const text: string
  export default text
}
