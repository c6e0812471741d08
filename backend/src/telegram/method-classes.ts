import type { MethodClass } from '../common/http/index.js';

export type { MethodClass };

/** All classes, from the least to the most powerful. */
export const METHOD_CLASSES = ['read', 'send', 'manage', 'account'] as const satisfies readonly MethodClass[];

/** The classes a new token gets: everything but what can cost the account. */
export const DEFAULT_METHOD_CLASSES: readonly MethodClass[] = ['read', 'send', 'manage'];

/** Methods of one class that are there for one reason, in td_api's order or by subject; separated by white space. */
type Group = readonly [reason: string, methods: string];

/**
 * Every function of td_api of TDLib 1.8.62 with its class and the reason. Names decide nothing: one that begins with
 * `get` may hand out a signed login link. Sources: td_api's own descriptions, TDLib's source where they do not say
 * (getLoginUrlInfo), core.telegram.org/api/auth, /api/srp, /api/url-authorization, /api/passport and /api/stars.
 */
const TABLE: Readonly<Record<MethodClass, readonly Group[]>> = {
  account: [
    [
      'Logs in, or logs in somebody else',
      `setAuthenticationPhoneNumber checkAuthenticationPremiumPurchase setAuthenticationPremiumPurchaseTransaction
      setAuthenticationEmailAddress resendAuthenticationCode checkAuthenticationEmailCode checkAuthenticationCode
      requestQrCodeAuthentication getAuthenticationPasskeyParameters checkAuthenticationPasskey registerUser
      resetAuthenticationEmailAddress checkAuthenticationPassword requestAuthenticationPasswordRecovery
      checkAuthenticationPasswordRecoveryCode recoverAuthenticationPassword sendAuthenticationFirebaseSms
      reportAuthenticationCodeMissing checkAuthenticationBotToken confirmQrCodeAuthentication`,
    ],
    ['Ends the session or the account, at once or by a timer', 'logOut close destroy deleteAccount setAccountTtl'],
    [
      'Changes or shows how the account is protected: password, recovery and login mail, passkeys',
      `getPasswordState setPassword requestPasswordRecovery checkPasswordRecoveryCode recoverPassword resetPassword
      cancelPasswordReset createTemporaryPassword getTemporaryPasswordState getRecoveryEmailAddress
      setRecoveryEmailAddress checkRecoveryEmailAddressCode resendRecoveryEmailAddressCode cancelRecoveryEmailAddressVerification
      isLoginEmailAddressRequired setLoginEmailAddress resendLoginEmailAddressCode checkLoginEmailAddressCode
      getPasskeyParameters getLoginPasskeys addLoginPasskey removeLoginPasskey`,
    ],
    [
      'Moves the account to another phone number, or proves its number to somebody',
      `sendPhoneNumberCode sendPhoneNumberFirebaseSms reportPhoneNumberCodeMissing resendPhoneNumberCode
      checkPhoneNumberCode`,
    ],
    [
      'Shows, confirms or ends other logins of the account',
      `getActiveSessions confirmSession terminateSession terminateAllOtherSessions setInactiveSessionTtl
      toggleSessionCanAcceptCalls toggleSessionCanAcceptSecretChats getConnectedWebsites disconnectWebsite
      disconnectAllWebsites`,
    ],
    [
      'Signs in to other services as the account, or asks about it: where the service is trusted, the answer is signed',
      `getLoginUrlInfo getLoginUrl getExternalLinkInfo getExternalLink getOauthLinkInfo checkOauthRequestMatchCode
      acceptOauthRequest declineOauthRequest getWebAppUrl getWebAppLinkUrl getMainWebApp openWebApp`,
    ],
    ['Lets a bot act for the account', 'setBusinessConnectedBot deleteBusinessConnectedBot'],
    ['Gives a chat away', 'transferChatOwnership'],
    [
      'Spends or pays out money, Stars and Toncoin',
      `sendPaymentForm refundStarPayment transferBusinessAccountStars editStarSubscription reuseStarSubscription
      assignStoreTransaction giftPremiumWithStars launchPrepaidGiveaway getStarAdAccountUrl getStarWithdrawalUrl
      getTonWithdrawalUrl getChatRevenueWithdrawalUrl addPendingPaidMessageReaction commitPendingPaidMessageReactions
      addPendingLiveStoryReaction commitPendingLiveStoryReactions`,
    ],
    [
      'Buys, sells, changes or gives away gifts',
      `sendGift sendResoldGift transferGift sellGift upgradeGift buyGiftUpgrade craftGift dropGiftOriginalDetails
      setGiftResalePrice sendGiftPurchaseOffer processGiftPurchaseOffer placeGiftAuctionBid increaseGiftAuctionBid
      getUpgradedGiftWithdrawalUrl`,
    ],
    [
      'Reads, changes or hands out identity documents',
      `getPassportElement getAllPassportElements setPassportElement deletePassportElement getPassportAuthorizationForm
      getPassportAuthorizationFormAvailableElements sendPassportAuthorizationForm sendEmailAddressVerificationCode
      resendEmailAddressVerificationCode checkEmailAddressVerificationCode`,
    ],
    [
      'Steers the client beneath the session: its options, network, push, proxies and log',
      `setTdlibParameters setDatabaseEncryptionKey setOption setNetworkType registerDevice processPushNotification
      setApplicationVerificationToken addProxy editProxy enableProxy disableProxy removeProxy getProxies pingProxy
      testProxy setAlarm testReturnError setLogStream getLogStream setLogVerbosityLevel setLogTagVerbosityLevel addLogMessage`,
    ],
  ],
  manage: [
    [
      'Makes, changes, joins and leaves chats',
      `createNewBasicGroupChat createNewSupergroupChat createNewSecretChat closeSecretChat
      upgradeBasicGroupChatToSupergroupChat joinChat joinChatByInviteLink leaveChat deleteChat deleteChatHistory
      setChatTitle setChatPhoto setChatAccentColor setChatProfileAccentColor setChatMessageAutoDeleteTime
      setChatEmojiStatus setChatPermissions setChatBackground deleteChatBackground setChatTheme
      toggleChatHasProtectedContent processChatHasProtectedContentDisableRequest toggleChatViewAsTopics
      toggleChatIsTranslatable setChatAvailableReactions setChatClientData setChatDescription setChatDiscussionGroup
      setChatDirectMessagesGroup setChatLocation setChatSlowModeDelay setChatMessageSender setChatPaidMessageStarCount
      setChatAffiliateProgram boostChat pinChatMessage unpinChatMessage unpinAllChatMessages
      setBusinessMessageIsPinned importMessages approveSuggestedPost declineSuggestedPost removeChatActionBar`,
    ],
    [
      'Changes supergroups and channels',
      `setSupergroupUsername toggleSupergroupUsernameIsActive disableAllSupergroupUsernames
      reorderSupergroupActiveUsernames setSupergroupStickerSet setSupergroupCustomEmojiStickerSet
      setSupergroupUnrestrictBoostCount setSupergroupMainProfileTab toggleSupergroupSignMessages
      toggleSupergroupJoinToSendMessages toggleSupergroupJoinByRequest toggleSupergroupIsAllHistoryAvailable
      toggleSupergroupCanHaveSponsoredMessages toggleSupergroupHasAutomaticTranslation
      toggleSupergroupHasHiddenMembers toggleSupergroupHasAggressiveAntiSpamEnabled toggleSupergroupIsForum
      toggleSupergroupIsBroadcastGroup`,
    ],
    [
      'Adds, removes and moderates people, and what they wrote',
      `addChatMember addChatMembers setChatMemberStatus setChatMemberTag banChatMember processChatJoinRequest
      processChatJoinRequests deleteChatMessagesBySender deleteChatMessagesByDate reportSupergroupSpam
      reportSupergroupAntiSpamFalsePositive reportChat reportChatPhoto reportMessageReactions reportStory
      setMessageSenderBotVerification removeMessageSenderBotVerification`,
    ],
    [
      'Makes and revokes invite links',
      `replacePrimaryChatInviteLink createChatInviteLink createChatSubscriptionInviteLink editChatInviteLink
      editChatSubscriptionInviteLink revokeChatInviteLink deleteRevokedChatInviteLink deleteAllRevokedChatInviteLinks`,
    ],
    [
      'Changes topics of chats',
      `createForumTopic editForumTopic deleteForumTopic setForumTopicNotificationSettings toggleForumTopicIsClosed
      toggleGeneralForumTopicIsHidden toggleForumTopicIsPinned setPinnedForumTopics unpinAllForumTopicMessages
      deleteDirectMessagesChatTopicHistory deleteDirectMessagesChatTopicMessagesByDate
      setDirectMessagesChatTopicIsMarkedAsUnread unpinAllDirectMessagesChatTopicMessages
      toggleDirectMessagesChatTopicCanSendUnpaidMessages deleteSavedMessagesTopicHistory
      deleteSavedMessagesTopicMessagesByDate toggleSavedMessagesTopicIsPinned setPinnedSavedMessagesTopics
      setSavedMessagesTagLabel`,
    ],
    [
      "Sorts the account's own lists: chats, folders, searches, drafts",
      `addChatToList toggleChatIsPinned setPinnedChats toggleChatIsMarkedAsUnread createChatFolder editChatFolder
      deleteChatFolder reorderChatFolders toggleChatFolderTags createChatFolderInviteLink editChatFolderInviteLink
      deleteChatFolderInviteLink addChatFolderByInviteLink processChatFolderNewChats setArchiveChatListSettings
      removeTopChat addRecentlyFoundChat removeRecentlyFoundChat clearRecentlyFoundChats removeSearchedForTag
      clearSearchedForTags removeRecentHashtag clearAllDraftMessages deleteAllCallMessages hideSuggestedAction
      hideContactCloseBirthdays clearRecentReactions setDefaultReactionType setPaidMessageReactionType`,
    ],
    [
      'Changes notifications',
      `setChatNotificationSettings toggleChatDefaultDisableNotification setScopeNotificationSettings
      setReactionNotificationSettings resetAllNotificationSettings removeNotification removeNotificationGroup
      addSavedNotificationSound removeSavedNotificationSound toggleChatGiftNotifications`,
    ],
    [
      'Changes contacts and who is blocked',
      `addContact importContacts removeContacts changeImportedContacts clearImportedContacts setCloseFriends
      setUserPersonalProfilePhoto setUserNote suggestUserProfilePhoto suggestUserBirthdate sharePhoneNumber
      setMessageSenderBlockList blockMessageSenderFromReplies allowUnpaidMessagesFromUser setUserEmojiStatus`,
    ],
    [
      "Changes the account's profile",
      `setProfilePhoto deleteProfilePhoto setAccentColor setUpgradedGiftColors setProfileAccentColor setName setBio
      setUsername toggleUsernameIsActive reorderActiveUsernames setBirthdate setMainProfileTab setPersonalChat
      setEmojiStatus clearRecentEmojiStatuses addProfileAudio setProfileAudioPosition removeProfileAudio`,
    ],
    [
      "Changes the account's settings",
      `setUserPrivacySettingRules setReadDatePrivacySettings setNewChatPrivacySettings setDefaultMessageAutoDeleteTime
      toggleHasSponsoredMessagesEnabled setDefaultBackground deleteDefaultBackground removeInstalledBackground
      resetInstalledBackgrounds setAutoDownloadSettings setAutosaveSettings clearAutosaveSettingsExceptions
      acceptTermsOfService toggleBotIsAddedToAttachmentMenu toggleBotCanManageEmojiStatus allowBotToSendMessages
      closeWebApp sendWebAppCustomRequest deleteSavedOrderInfo deleteSavedCredentials`,
    ],
    [
      'Changes a business account, its quick replies and links',
      `setBusinessLocation setBusinessOpeningHours setBusinessGreetingMessageSettings setBusinessAwayMessageSettings
      setBusinessStartPage toggleBusinessConnectedBotChatIsPaused removeBusinessConnectedBotFromChat
      createBusinessChatLink editBusinessChatLink deleteBusinessChatLink setBusinessAccountName setBusinessAccountBio
      setBusinessAccountProfilePhoto setBusinessAccountUsername setBusinessAccountGiftSettings
      setQuickReplyShortcutName deleteQuickReplyShortcut reorderQuickReplyShortcuts deleteQuickReplyShortcutMessages
      addQuickReplyShortcutMessage addQuickReplyShortcutInlineQueryResultMessage addQuickReplyShortcutMessageAlbum
      readdQuickReplyShortcutMessages editQuickReplyMessage`,
    ],
    [
      'Changes stories that are posted, and their albums',
      `setStoryPrivacySettings toggleStoryIsPostedToChatPage setChatActiveStoriesList setChatPinnedStories
      activateStoryStealthMode createStoryAlbum reorderStoryAlbums deleteStoryAlbum setStoryAlbumName
      addStoryAlbumStories removeStoryAlbumStories reorderStoryAlbumStories`,
    ],
    [
      'Makes and takes part in calls, video chats and live stories; the stream addresses hold a key',
      `createCall acceptCall sendCallSignalingData discardCall sendCallRating sendCallDebugInformation sendCallLog
      setVideoChatDefaultParticipant createVideoChat createGroupCall getVideoChatRtmpUrl getLiveStoryRtmpUrl
      replaceVideoChatRtmpUrl replaceLiveStoryRtmpUrl startScheduledVideoChat
      toggleVideoChatEnabledStartNotification joinGroupCall joinVideoChat joinLiveStory startLiveStory
      startGroupCallScreenSharing toggleGroupCallScreenSharingIsPaused endGroupCallScreenSharing setVideoChatTitle
      toggleVideoChatMuteNewParticipants toggleGroupCallAreMessagesAllowed setLiveStoryMessageSender
      deleteGroupCallMessages deleteGroupCallMessagesBySender inviteGroupCallParticipant declineGroupCallInvitation
      banGroupCallParticipants inviteVideoChatParticipants revokeGroupCallInviteLink startGroupCallRecording
      endGroupCallRecording toggleGroupCallIsMyVideoPaused toggleGroupCallIsMyVideoEnabled
      setGroupCallPaidMessageStarCount setGroupCallParticipantIsSpeaking toggleGroupCallParticipantIsMuted
      setGroupCallParticipantVolumeLevel toggleGroupCallParticipantIsHandRaised leaveGroupCall endGroupCall`,
    ],
    [
      'Changes sticker sets and lists of stickers',
      `changeStickerSet reorderInstalledStickerSets addRecentSticker removeRecentSticker clearRecentStickers
      addFavoriteSticker removeFavoriteSticker addSavedAnimation removeSavedAnimation createNewStickerSet
      addStickerToSet replaceStickerInSet setStickerSetThumbnail setCustomEmojiStickerSetThumbnail setStickerSetTitle
      deleteStickerSet setStickerPositionInSet removeStickerFromSet setStickerEmojis setStickerKeywords
      setStickerMaskPosition`,
    ],
    [
      'Changes a bot, its commands and its sales',
      `setCommands deleteCommands setMenuButton setDefaultGroupAdministratorRights
      setDefaultChannelAdministratorRights addBotMediaPreview editBotMediaPreview reorderBotMediaPreviews
      deleteBotMediaPreviews setBotName setBotProfilePhoto toggleBotUsernameIsActive reorderBotActiveUsernames
      setBotInfoDescription setBotInfoShortDescription setBotUpdatesStatus setPassportElementErrors
      createInvoiceLink editUserStarSubscription sendCustomRequest`,
    ],
    [
      'Shows gifts, and joins affiliate and premium offers',
      `setGiftSettings toggleGiftIsSaved setPinnedGifts createGiftCollection reorderGiftCollections
      deleteGiftCollection setGiftCollectionName addGiftCollectionGifts removeGiftCollectionGifts
      reorderGiftCollectionGifts connectAffiliateProgram disconnectAffiliateProgram viewPremiumFeature
      clickPremiumSubscriptionButton applyPremiumGiftCode`,
    ],
    [
      'Answers to advertisements',
      `clickChatSponsoredMessage reportChatSponsoredMessage viewSponsoredChat openSponsoredChat reportSponsoredChat
      viewVideoMessageAdvertisement clickVideoMessageAdvertisement reportVideoMessageAdvertisement`,
    ],
    [
      "Changes TDLib's own storage, statistics and language packs, and its tests",
      `optimizeStorage addNetworkStatistics resetNetworkStatistics saveApplicationLogEvent writeGeneratedFilePart
      setFileGenerationProgress finishFileGeneration synchronizeLanguagePack addCustomServerLanguagePack
      setCustomLanguagePack editCustomLanguagePackInfo setCustomLanguagePackString deleteLanguagePack
      setUserSupportInfo testCallEmpty testCallString testCallBytes testCallVectorInt testCallVectorIntObject
      testCallVectorString testCallVectorStringObject testSquareInt testNetwork testGetDifference testUseUpdate`,
    ],
  ],
  send: [
    [
      'Sends, edits and deletes messages, and what belongs to writing them',
      `sendMessage sendMessageAlbum sendBotStartMessage sendInlineQueryResultMessage forwardMessages
      sendQuickReplyShortcutMessages resendMessages addLocalMessage deleteMessages editMessageText
      editMessageLiveLocation editMessageChecklist editMessageMedia editMessageCaption editMessageReplyMarkup
      editMessageSchedulingState editInlineMessageText editInlineMessageLiveLocation editInlineMessageMedia
      editInlineMessageCaption editInlineMessageReplyMarkup addOffer setMessageFactCheck deleteChatReplyMarkup
      sendChatAction sendTextMessageDraft setChatDraftMessage shareUsersWithBot shareChatWithBot
      preliminaryUploadFile cancelPreliminaryUploadFile uploadStickerFile sendGroupCallMessage`,
    ],
    [
      'The same for a business account that is connected to the bot',
      `sendBusinessMessage sendBusinessMessageAlbum editBusinessMessageText editBusinessMessageLiveLocation
      editBusinessMessageChecklist editBusinessMessageMedia editBusinessMessageCaption
      editBusinessMessageReplyMarkup stopBusinessPoll deleteBusinessMessages`,
    ],
    [
      'Reacts, votes and ticks off',
      `addMessageReaction removeMessageReaction setMessageReactions removePendingPaidMessageReactions
      removePendingLiveStoryReactions setPollAnswer stopPoll addChecklistTasks markChecklistTasksAsDone
      clickAnimatedEmojiMessage`,
    ],
    [
      'Presses the buttons of bots, and answers for a bot',
      `getCallbackQueryAnswer sendWebAppData answerCallbackQuery answerInlineQuery savePreparedInlineMessage
      answerWebAppQuery answerShippingQuery answerPreCheckoutQuery answerCustomQuery setGameScore
      setInlineGameScore`,
    ],
    [
      'Posts, edits and deletes stories, and reacts to them',
      'postStory editStory editStoryCover deleteStory editBusinessStory deleteBusinessStory setStoryReaction',
    ],
  ],
  read: [
    [
      'Looks at the account and at people',
      `getAuthorizationState getCurrentState getMe getUser getUserFullInfo getUserProfilePhotos getUserProfileAudios
      isProfileAudio getUserLink searchUserByToken searchUserByPhoneNumber getContacts searchContacts
      getImportedContactCount getCloseFriends getBlockedMessageSenders getUserChatBoosts getSupportUser
      canSendMessageToUser getUserPrivacySettingRules getReadDatePrivacySettings getNewChatPrivacySettings
      getAccountTtl getDefaultMessageAutoDeleteTime getOption getAutosaveSettings getAutoDownloadSettingsPresets
      getThemedEmojiStatuses getRecentEmojiStatuses getUpgradedGiftEmojiStatuses getDefaultEmojiStatuses
      getCommands getMenuButton canBotSendMessages getBotMediaPreviews getBotMediaPreviewInfo getBotName
      getBotInfoDescription getBotInfoShortDescription getOwnedBots getBotSimilarBots getBotSimilarBotCount
      openBotSimilarBot getAttachmentMenuBot getUserSupportInfo getSupportName getPhoneNumberInfo
      getPhoneNumberInfoSync getCollectibleItemInfo`,
    ],
    [
      'Looks at chats, their members and topics, and opens them',
      `getChat loadChats getChats openChat closeChat createPrivateChat createBasicGroupChat createSupergroupChat
      createSecretChat getBasicGroup getBasicGroupFullInfo getSupergroup getSupergroupFullInfo getSecretChat
      searchPublicChat searchPublicChats searchChats searchChatsOnServer getRecommendedChats getChatSimilarChats
      getChatSimilarChatCount openChatSimilarChat getTopChats searchRecentlyFoundChats getRecentlyOpenedChats
      checkChatUsername getCreatedPublicChats checkCreatedPublicChatsLimit getSuitableDiscussionChats
      getInactiveSupergroupChats getSuitablePersonalChats getGroupsInCommon getChatMember searchChatMembers
      getChatAdministrators getSupergroupMembers getChatEventLog canTransferOwnership getChatOwnerAfterLeaving
      getChatAvailableMessageSenders getChatInviteLink getChatInviteLinkCounts getChatInviteLinks
      getChatInviteLinkMembers checkChatInviteLink getChatJoinRequests loadDirectMessagesChatTopics
      getDirectMessagesChatTopic getDirectMessagesChatTopicHistory getDirectMessagesChatTopicMessageByDate
      getDirectMessagesChatTopicRevenue loadSavedMessagesTopics getSavedMessagesTopicHistory
      getSavedMessagesTopicMessageByDate getForumTopicDefaultIcons getForumTopic getForumTopicHistory
      getForumTopicLink getForumTopics getChatListsToAddChat getChatFolder getChatFolderChatsToLeave
      getChatFolderChatCount getRecommendedChatFolders getChatFolderDefaultIconName
      getChatsForChatFolderInviteLink getChatFolderInviteLinks checkChatFolderInviteLink getChatFolderNewChats
      getArchiveChatListSettings getChatNotificationSettingsExceptions getScopeNotificationSettings
      getSavedNotificationSound getSavedNotificationSounds getThemedChatEmojiStatuses
      getDefaultChatEmojiStatuses getDisallowedChatEmojiStatuses getChatBoostLevelFeatures getChatBoostFeatures
      getAvailableChatBoostSlots getChatBoostStatus getChatBoostLink getChatBoostLinkInfo getChatBoosts`,
    ],
    [
      'Looks at messages, and tells Telegram that they were seen',
      `getMessage getMessageLocally getRepliedMessage getChatPinnedMessage getCallbackQueryMessage getMessages
      getMessageProperties getMessageThread getMessageReadDate getMessageViewers getMessageAuthor getChatHistory
      getMessageThreadHistory searchChatMessages searchMessages searchSecretMessages searchSavedMessages
      searchCallMessages searchOutgoingDocumentMessages getPublicPostSearchLimits searchPublicPosts
      searchPublicMessagesByTag getSearchedForTags searchChatRecentLocationMessages getChatMessageByDate
      getChatSparseMessagePositions getChatMessageCalendar getChatMessageCount getChatMessagePosition
      getChatScheduledMessages getChatSponsoredMessages getSearchSponsoredChats getVideoMessageAdvertisements
      getMessageLink getMessageEmbeddingCode getMessageLinkInfo translateText translateMessageText summarizeMessage
      recognizeSpeech rateSpeechRecognition getMessageAvailableReactions getMessageAddedReactions
      getChatAvailablePaidMessageReactionSenders getSavedMessagesTags getMessageEffect getPollVoters getEmojiReaction
      getCustomEmojiReactionAnimations getGameHighScores getInlineGameHighScores getMessageFileType
      getMessageImportConfirmationText getStakeDiceState viewMessages openMessageContent readAllChatMentions
      readAllChatReactions readAllForumTopicMentions readAllForumTopicReactions
      readAllDirectMessagesChatTopicReactions readChatList readBusinessMessage getMessagePublicForwards
      loadQuickReplyShortcuts loadQuickReplyShortcutMessages checkQuickReplyShortcutName`,
    ],
    [
      'Looks at stories',
      `getStory openStory closeStory getChatsToPostStories canPostStory getStoryNotificationSettingsExceptions
      loadActiveStories getChatActiveStories getChatPostedToChatPageStories getChatArchivedStories
      getStoryAvailableReactions getStoryInteractions getChatStoryInteractions getStoryPublicForwards
      getChatStoryAlbums getStoryAlbumStories searchPublicStoriesByTag searchPublicStoriesByLocation
      searchPublicStoriesByVenue`,
    ],
    [
      "Looks at files, and loads them into TDLib's cache or out of it",
      `getFile getRemoteFile downloadFile cancelDownloadFile getFileDownloadedPrefixSize getSuggestedFileName
      readFilePart deleteFile addFileToDownloads toggleDownloadIsPaused toggleAllDownloadsArePaused
      removeFileFromDownloads removeAllFilesFromDownloads searchFileDownloads getMapThumbnailFile getStorageStatistics
      getStorageStatisticsFast`,
    ],
    [
      'Looks at stickers, emoji and backgrounds',
      `getStickerOutline getStickerOutlineSvgPath getStickers getAllStickerEmojis searchStickers getGreetingStickers
      getPremiumStickers getInstalledStickerSets getArchivedStickerSets getTrendingStickerSets
      viewTrendingStickerSets getAttachedStickerSets getStickerSet getStickerSetName searchStickerSet
      searchInstalledStickerSets searchStickerSets getRecentStickers getFavoriteStickers getStickerEmojis
      searchEmojis getKeywordEmojis getEmojiCategories getAnimatedEmoji getEmojiSuggestionsUrl
      getCustomEmojiStickers getDefaultChatPhotoCustomEmojiStickers getDefaultProfilePhotoCustomEmojiStickers
      getDefaultBackgroundCustomEmojiStickers getSavedAnimations getSuggestedStickerSetName checkStickerSetName
      getOwnedStickerSets getBackgroundUrl searchBackground getInstalledBackgrounds`,
    ],
    [
      'Asks bots, links and web pages',
      `getInlineQueryResults getPreparedInlineMessage getRecentInlineBots getGrossingWebAppBots searchWebApp
      getWebAppPlaceholder checkWebAppFileDownload getInternalLink getInternalLinkType getDeepLinkInfo
      getLinkPreview getWebPageInstantView getRecentlyVisitedTMeUrls searchHashtags`,
    ],
    [
      'Looks at a business account',
      `getBusinessConnection getBusinessConnectedBot getBusinessAccountStarAmount getBusinessChatLinks
      getBusinessChatLinkInfo getBusinessFeatures getTimeZones`,
    ],
    [
      'Looks at calls and video chats',
      `getVideoChatAvailableParticipants getGroupCall getLiveStoryStreamer getLiveStoryAvailableMessageSenders
      getLiveStoryTopDonors getVideoChatInviteLink getGroupCallParticipants loadGroupCallParticipants
      getGroupCallStreams getGroupCallStreamSegment encryptGroupCallData decryptGroupCallData`,
    ],
    [
      'Looks at gifts, offers and payments',
      `getPaymentForm validateOrderInfo getPaymentReceipt getSavedOrderInfo getBankCardInfo getAvailableGifts
      canSendGift getGiftChatThemes getGiftAuctionState getGiftAuctionAcquiredGifts openGiftAuction closeGiftAuction
      getGiftUpgradePreview getUpgradedGiftVariants getReceivedGifts getReceivedGift getGiftsForCrafting
      getUpgradedGift getUpgradedGiftValueInfo getUpgradedGiftsPromotionalAnimation searchGiftsForResale
      getGiftCollections getPremiumLimit getPremiumFeatures getPremiumStickerExamples getPremiumInfoSticker
      getPremiumState getPremiumGiftPaymentOptions getPremiumGiveawayPaymentOptions checkPremiumGiftCode
      getGiveawayInfo getStarPaymentOptions getStarGiftPaymentOptions getStarGiveawayPaymentOptions
      getStarTransactions getStarSubscriptions canPurchaseFromStore getTonTransactions getPaidMessageRevenue
      searchChatAffiliateProgram searchAffiliatePrograms getConnectedAffiliateProgram
      getConnectedAffiliatePrograms`,
    ],
    [
      'Looks at statistics',
      `getChatStatistics getMessageStatistics getStoryStatistics getStatisticalGraph getChatRevenueStatistics
      getChatRevenueTransactions getStarRevenueStatistics getTonRevenueStatistics getDatabaseStatistics
      getNetworkStatistics`,
    ],
    [
      'Computes, or looks at what is the same for everybody',
      `searchQuote getTextEntities parseTextEntities parseMarkdown getMarkdownText getCountryFlagEmoji getFileMimeType
      getFileExtension cleanFileName getJsonValue getJsonString getThemeParametersJsonString searchStringsByPrefix
      getLanguagePackString getLocalizationTargetInfo getLanguagePackInfo getLanguagePackStrings
      getPreferredCountryLanguage getPushReceiverId getCountries getCountryCode getCurrentWeather
      getApplicationConfig getApplicationDownloadLink getLogVerbosityLevel getLogTags getLogTagVerbosityLevel`,
    ],
  ],
};

/** The methods of a class that are there for the same reason. */
export interface MethodGroup {
  readonly methodClass: MethodClass;
  /** In words, for the documentation. */
  readonly reason: string;
  readonly methods: readonly string[];
}

/** The whole table, the most powerful class first. */
export const METHOD_GROUPS: readonly MethodGroup[] = METHOD_CLASSES.toReversed().flatMap((methodClass) =>
  TABLE[methodClass].map(([reason, methods]) => ({ methodClass, reason, methods: methods.split(/\s+/) })),
);

const CLASS_OF: ReadonlyMap<string, MethodClass> = new Map(
  METHOD_GROUPS.flatMap(({ methodClass, methods }) => methods.map((method) => [method, methodClass] as const)),
);

/** The class that was decided for a td_api method; undefined when the table does not know it. */
export function decidedClassOf(method: string): MethodClass | undefined {
  return CLASS_OF.get(method);
}

/** Whether td_api has such a method. */
export function isKnownMethod(method: string): boolean {
  return CLASS_OF.has(method);
}

/** The class of a td_api method; one that the table does not know, such as a later TDLib's, is `manage`. */
export function classOf(method: string): MethodClass {
  return decidedClassOf(method) ?? 'manage';
}
