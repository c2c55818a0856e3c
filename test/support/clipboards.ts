/** What programs put on the clipboard, as Chromium hands it to a page, cut to what matters. */
interface Clipboard {
  html: string
  text: string
}

export const WORD: Clipboard = {
  text: 'Dear Ana,\n1.\tOpen Billing\n2.\tPay\nBye',
  html: `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word">
<head><meta name=Generator content="Microsoft Word 15">
<!--[if gte mso 9]><xml><w:WordDocument><w:View>Normal</w:View></w:WordDocument></xml><![endif]-->
<style><!-- p.MsoNormal {margin:0cm; font-size:11.0pt;} @list l0:level1 {mso-level-text:"%1.";} --></style></head>
<body lang=EN-US><!--StartFragment-->
<p class=MsoNormal>Dear <b><span style='color:red'>Ana</span></b>, see <a href="https://a.test/guide">our <i>guide</i></a>:<o:p></o:p></p>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>1.<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span><![endif]>Open Billing<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='margin-left:72.0pt;text-indent:-18.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span style='font-family:Symbol;mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp; </span></span><![endif]>a card<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>2.<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span><![endif]>Pay<o:p></o:p></p>
<table class=MsoTableGrid border=1><tr><td><p class=MsoNormal>Plan</p></td><td><p class=MsoNormal>Price</p></td></tr>
<tr><td><p class=MsoNormal>Pro</p></td><td><p class=MsoNormal>9 €</p></td></tr></table>
<p class=MsoNormal>Bye<o:p></o:p></p>
<!--EndFragment--></body></html>`,
}

export const GMAIL: Clipboard = {
  text: 'Hello Ana,\n\nyour invoice\nis paid.',
  html: `<meta charset='utf-8'><div dir="ltr"><div>Hello <b>Ana</b>,</div><div><br></div><div>your <i>invoice</i></div><div>is <a href="https://a.test/paid" target="_blank">paid</a>.<br></div><div><ul><li style="margin-left:15px">one</li><li style="margin-left:15px">two</li></ul></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex"><div dir="ltr">Where is it?</div></blockquote><div><span style="font-family:monospace">x</span> <img src="https://evil.test/pixel.png" width="1"><script>alert(1)</script></div></div>`,
}

export const SHEETS: Clipboard = {
  text: 'Plan\tPrice\nPro\t9 €',
  html: `<meta name="generator" content="Sheets"/><style type="text/css"><!--td {border: 1px solid #cccccc;}br {mso-data-placement:same-cell;}--></style><table xmlns="http://www.w3.org/1999/xhtml" cellspacing="0" cellpadding="0" dir="ltr" border="1" style="table-layout:fixed;font-size:10pt" data-sheets-root="1" data-sheets-baot="1"><colgroup><col width="100"/><col width="100"/></colgroup><tbody><tr style="height:21px;"><td style="font-weight:bold;" data-sheets-value="{&quot;1&quot;:2}">Plan</td><td>Price</td></tr><tr><td>Pro</td><td>9 €</td></tr></tbody></table>`,
}
