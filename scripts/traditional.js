import {Converter} from 'opencc-js/cn2t';

/** What OpenCC writes, and what users in Taiwan read, in the order of replacement. */
const words = [
  ['“', '「'],
  ['”', '」'],
  ['列表', '清單'],
  [/列(?!出)/gu, '欄'],
  [/(?<=\p{Script=Han})二維碼/gu, ' QR 碼'],
  ['二維碼', 'QR 碼'],
  ['無法訪問', '無法存取'],
  ['訪問', '造訪'],
  ['更改', '變更'],
  ['電子表格', '試算表'],
  ['賬戶', '帳戶'],
  ['轉化', '轉換'],
  ['共享', '分享'],
  ['字尾', '後綴'],
  ['單元格', '儲存格'],
  ['分隔符', '分隔符號'],
  ['製表符', '定位字元'],
  ['封禁', '封鎖'],
  ['當前', '目前'],
  [/查詢(?!引數)/gu, '尋找'],
  ['自定義', '自訂'],
  ['域名', '網域'],
  ['引數', '參數'],
  ['程式碼', '代碼'],
  ['畫素', '像素'],
  ['丟失', '遺失'],
  ['無法撤銷', '無法復原'],
  ['響應', '回應'],
  ['生成', '產生'],
  ['程序', '處理程序'],
  ['地址', '網址'],
  ['新建', '新增'],
  ['新增到', '加到'],
  ['創建', '建立'],
  ['批次建立連結', '一次建立多個連結'],
  ['退出登入', '登出'],
  ['營銷', '行銷'],
  ['運營', '營運'],
  ['社交網路', '社群網路'],
  ['首選語言', '偏好語言'],
  ['待生效', '已排程'],
  ['識別', '辨識'],
  ['替換為', '取代為'],
  ['放棄', '捨棄'],
  ['跳過', '略過'],
  ['跳轉', '導向'],
  ['匹配項', '符合的項目'],
  ['匹配', '符合'],
  [/按(?![下鈕])/gu, '依'],
  ['詳情', '詳細資料'],
  ['文本', '文字檔'],
  ['工作', '運作'],
  ['許可權', '權限'],
  ['提交', '送出'],
  ['所有者', '擁有者'],
];

/**
 * The texts of the dashboard in traditional Chinese, made of those in simplified Chinese.
 *
 * @throws Error for a word that no text needs
 */
export function traditionalTexts(simplified) {
  const converted = Converter({from: 'cn', to: 'twp'})(simplified)
    .replace('zhHans', 'zhHant')
    .replaceAll(`'../generated/`, `'./`)
    .replace(`'./en.ts'`, `'../texts/en.ts'`);
  return words.reduce((text, [written, read]) => {
    const replaced = text.replaceAll(written, read);
    if (replaced === text) throw new Error(`No text has ${written} any more`);
    return replaced;
  }, converted);
}
