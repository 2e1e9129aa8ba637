/* Made by `npm run generate`. Do not edit. */
export const limits = {"url":8192,"custom_url":64,"password":128,"title":200,"tags":20,"max_visits":1000000000,"expired_url":8192,"rules":10,"preview_title":200,"preview_description":500,"preview_image":8192,"reference":128,"tag":50,"search":200,"reason":200,"label":100,"keys":20} as const;
export const devices = ["ios","android","desktop"] as const;
export const ruleInputs = ["device","language","country","from","until","url"] as const;
