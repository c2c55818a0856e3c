/** What a mail loads from elsewhere when it is shown as it is. */
export interface RemoteLoad {
  id: number
  /** HTML. */
  source: string
  /** The address that Chromium asks for. Nothing of it exists. */
  url: string
}

type Make = (url: string) => string

const MAKES: Make[] = [
  (url) => `<img src="${url}">`,
  (url) => `<img srcset="${url} 1x">`,
  (url) => `<picture><source srcset="${url}"><img></picture>`,
  (url) => `<p style="background:url(${url})">x</p>`,
  (url) => `<p style="background:url('${url.replace('https', 'HTTPS')}')">x</p>`,
  (url) => `<p style="background-image:image-set('${url}' 1x)">x</p>`,
  (url) => `<p style="border:1px solid;border-image-source:url(${url})">x</p>`,
  (url) => `<ul style="list-style-image:url(${url})"><li>x</ul>`,
  (url) => `<style>@import "${url}";</style>`,
  (url) => `<style>@\\69mport url(${url});</style>`,
  (url) => `<style>p{background:\\75rl(${url})}</style><p>x</p>`,
  (url) => `<style>@font-face{font-family:f;src:url(${url})}p{font-family:f}</style><p>x</p>`,
  (url) => `<style>p::before{content:url(${url})}</style><p>x</p>`,
  (url) => `<style>:root{--u:url(${url})}p{background:var(--u)}</style><p>x</p>`,
  (url) => `<link rel=stylesheet href="${url}">`,
  (url) => `<link rel=preload as=image href="${url}">`,
  (url) => `<table background="${url}"><tr><td>x</table>`,
  (url) => `<body background="${url}">`,
  (url) => `<video poster="${url}"></video>`,
  (url) => `<video src="${url}"></video>`,
  (url) => `<audio src="${url}" preload=auto></audio>`,
  (url) => `<iframe src="${url}"></iframe>`,
  (url) => `<object data="${url}"></object>`,
  (url) => `<embed src="${url}">`,
  (url) => `<input type=image src="${url}">`,
  (url) => `<svg><image href="${url}" width=1 height=1></svg>`,
  (url) =>
    `<svg><filter id=f><feImage href="${url}"/></filter><rect width=9 height=9 filter="url(#f)"/></svg>`,
  (url) => `<script src="${url}"></script>`,
  (url) =>
    `<base href="${url.slice(0, url.lastIndexOf('/') + 1)}"><img src="${url.slice(url.lastIndexOf('/') + 1)}">`,
  (url) => `<meta http-equiv=refresh content="0;url=${url}">`,
  (url) => `<img src="${url.replace('https:', '')}">`,
  (url) => `<img src="${url.replace('https://', 'https:\\\\')}">`,
]

export const REMOTE_LOADS: RemoteLoad[] = MAKES.map((make, n) => {
  const url = `https://elsewhere.test/load-${n + 1}`
  return { id: n + 1, url, source: make(url) }
})
