import { defineInterface } from './interfaces.ts';

const notifications = '__x_ABI_CWindows_CUI_CNotifications_C';

export const IToastNotificationManagerStatics = defineInterface(
  `${notifications}IToastNotificationManagerStatics`,
  '50ac103f-d235-4598-bbef-98fe4d1a3ad4',
  { CreateToastNotifierWithId: [7, 'u64', 'ptr'] },
  'wine',
);

export const IToastNotifier = defineInterface(
  `${notifications}IToastNotifier`,
  '75927b93-03f3-41ec-91d3-6e5bac1b38e7',
  { Show: [6, 'u64'], get_Setting: [8, 'ptr'] },
  'wine',
);

export const IToastNotificationFactory = defineInterface(
  `${notifications}IToastNotificationFactory`,
  '04124b20-82c6-4229-b109-fd9ed4662b53',
  { CreateToastNotification: [6, 'u64', 'ptr'] },
  'wine',
);

export const IToastNotification = defineInterface(
  `${notifications}IToastNotification`,
  '997e2675-059e-4e60-8b06-1760917c8b80',
  { get_Content: [6, 'ptr'] },
  'wine',
);

export const IToastNotification2 = defineInterface(
  `${notifications}IToastNotification2`,
  '9dfb9fd1-143a-490e-90bf-b9fba7132de7',
  { put_Tag: [6, 'u64'], get_Tag: [7, 'ptr'], put_Group: [8, 'u64'] },
  'wine',
);

export const IToastNotificationManagerStatics2 = defineInterface(
  `${notifications}IToastNotificationManagerStatics2`,
  '7ab93c52-0e48-4750-ba9d-1a4113981847',
  { get_History: [6, 'ptr'] },
  'wine',
);

export const IToastNotificationHistory = defineInterface(
  `${notifications}IToastNotificationHistory`,
  '5caddc63-01d3-4c97-986f-0533483fee14',
  { RemoveGroupedTagWithId: [8, 'u64', 'u64', 'u64'] },
  'wine',
);

export const IToastNotificationHistory2 = defineInterface(
  `${notifications}IToastNotificationHistory2`,
  '3bc3d253-2f31-4092-9129-8ad5abf067da',
  { GetHistoryWithId: [7, 'u64', 'ptr'] },
  'wine',
);

export const IXmlDocumentIO = defineInterface(
  '__x_ABI_CWindows_CData_CXml_CDom_CIXmlDocumentIO',
  '6cd0e74e-ee65-4489-9ebf-ca43e87ba637',
  { LoadXml: [6, 'u64'] },
  'wine',
);
