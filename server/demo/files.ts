import claimForm from './files/claim-form.pdf' with { type: 'file' }
import crushedBox from './files/crushed-box.png' with { type: 'file' }
import invoice from './files/invoice.pdf' with { type: 'file' }
import label from './files/label.png' with { type: 'file' }
import memo from './files/memo.wav' with { type: 'file' }
import logo from './files/parcelbird.png' with { type: 'file' }
import printerLog from './files/printer.txt' with { type: 'file' }

const PATHS = {
  'parcelbird.png': logo,
  'crushed-box.png': crushedBox,
  'label.png': label,
  'memo.wav': memo,
  'printer.log': printerLog,
  'invoice.pdf': invoice,
  'claim-form.pdf': claimForm,
}

/** A file of the demo's messages. */
export type DemoFileName = keyof typeof PATHS

export function demoFile(name: DemoFileName): Promise<Uint8Array<ArrayBuffer>> {
  return Bun.file(PATHS[name]).bytes()
}
